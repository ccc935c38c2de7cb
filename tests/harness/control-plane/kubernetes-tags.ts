// Reads from Go's struct tags what OpenAPI leaves out: which fields are written even if empty, and their numbers in protobuf. Part of
// kubernetes-kinds.ts.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GoTag } from '../../../shared/embedded/kinds/kind.ts'

/** `proto` is the field's number, such as `2.1` in a message that JSON shows inline. */
type FieldTag = { readonly go: GoTag; readonly proto?: string }

/** Tags by schema name and JSON field. */
export const fieldTags = (modules: string, version: string): Map<string, Map<string, FieldTag>> => {
  const tags = new Map<string, Map<string, FieldTag>>()
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

type Inline = { readonly type: string; readonly proto?: string }

const structs = (source: string): [name: string, fields: Map<string, FieldTag>][] => {
  const inline = new Map<string, Inline[]>()
  const found = new Map<string, Map<string, FieldTag>>()
  for (const [, name = '', body = ''] of source.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    const fields = new Map<string, FieldTag>()
    for (const line of body.split('\n'))
      addField(line, fields, inner => inline.set(name, [...(inline.get(name) ?? []), inner]))
    found.set(name, fields)
  }
  return [...found.keys()].map(name => [name, withInline(name, found, inline)])
}

const withInline = (
  name: string,
  found: Map<string, Map<string, FieldTag>>,
  inline: Map<string, Inline[]>,
): Map<string, FieldTag> => {
  const all = new Map(found.get(name))
  for (const { type, proto } of inline.get(name) ?? [])
    for (const [field, tag] of withInline(type, found, inline))
      all.set(field, { ...tag, proto: proto && tag.proto && `${proto}.${tag.proto}` })
  return all
}

const addField = (line: string, fields: Map<string, FieldTag>, addInline: (inner: Inline) => void): void => {
  const match = /^\s+(?:(\w+)\s+)?(\S+)\s+`.*?json:"([^"]*)"(?:.*protobuf:"\w+,(\d+),)?/.exec(line)
  if (!match) return
  const [, , type = '', json = '', proto] = match
  const [field, ...options] = json.split(',')
  if (options.includes('inline')) addInline({ type, proto })
  else if (field) fields.set(field, { go: tagOf(type, options), proto })
}

const tagOf = (type: string, options: string[]): GoTag => {
  if (type.startsWith('*') && options.includes('omitempty')) return 'pointer'
  if (options.includes('omitzero')) return 'zero'
  return options.includes('omitempty') ? 'empty' : 'always'
}
