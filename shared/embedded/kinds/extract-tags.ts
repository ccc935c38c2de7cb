// Reads from Go's struct tags what OpenAPI does not tell: which fields are written although they are empty. Part of
// the extraction script only.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * `pointer`: written whenever it was given. `empty`: left out when it is zero. `zero`: left out when the struct is zero.
 * `always`: written even then.
 */
export type GoTag = 'pointer' | 'empty' | 'zero' | 'always'

/** Tags by schema name and JSON field. */
export const fieldTags = (modules: string, version: string): Map<string, Map<string, GoTag>> => {
  const tags = new Map<string, Map<string, GoTag>>()
  for (const [prefix, directory] of packages(modules, version))
    for (const file of goFiles(directory))
      for (const [name, fields] of structs(readFileSync(join(directory, file), 'utf8')))
        tags.set(`${prefix}.${name}`, fields)
  return tags
}

const packages = (modules: string, version: string): [prefix: string, directory: string][] => {
  const api = join(modules, `api@${version}`)
  const groups = readdirSync(api, { withFileTypes: true }).filter(
    entry => entry.isDirectory() && !entry.name.startsWith('.'),
  )
  const versions = groups.flatMap(({ name: group }) =>
    readdirSync(join(api, group))
      .filter(entry => /^v\d/.test(entry))
      .map(v => [`io.k8s.api.${group}.${v}`, join(api, group, v)] as [string, string]),
  )
  const others: [string, string][] = [
    ['io.k8s.apimachinery.pkg.apis.meta.v1', join(modules, `apimachinery@${version}/pkg/apis/meta/v1`)],
    [
      'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
      join(modules, `apiextensions-apiserver@${version}/pkg/apis/apiextensions/v1`),
    ],
    [
      'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1',
      join(modules, `kube-aggregator@${version}/pkg/apis/apiregistration/v1`),
    ],
  ]
  return [...versions, ...others].filter(([, directory]) => existsSync(directory))
}

const goFiles = (directory: string): string[] => readdirSync(directory).filter(file => /^types.*\.go$/.test(file))

const structs = (source: string): [name: string, fields: Map<string, GoTag>][] => {
  const inline = new Map<string, string[]>()
  const found = new Map<string, Map<string, GoTag>>()
  for (const [, name = '', body = ''] of source.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    const fields = new Map<string, GoTag>()
    for (const line of body.split('\n'))
      addField(line, fields, type => inline.set(name, [...(inline.get(name) ?? []), type]))
    found.set(name, fields)
  }
  for (const [name, types] of inline)
    for (const type of types) for (const [field, tag] of found.get(type) ?? []) found.get(name)?.set(field, tag)
  return [...found]
}

const addField = (line: string, fields: Map<string, GoTag>, addInline: (type: string) => void): void => {
  const match = /^\s+(?:(\w+)\s+)?(\S+)\s+`.*?json:"([^"]*)"/.exec(line)
  if (!match) return
  const [, , type = '', json = ''] = match
  const [field, ...options] = json.split(',')
  if (options.includes('inline')) addInline(type)
  else if (field) fields.set(field, tagOf(type, options))
}

const tagOf = (type: string, options: string[]): GoTag => {
  if (type.startsWith('*') && options.includes('omitempty')) return 'pointer'
  if (options.includes('omitzero')) return 'zero'
  return options.includes('omitempty') ? 'empty' : 'always'
}
