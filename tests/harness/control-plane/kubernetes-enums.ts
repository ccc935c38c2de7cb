// Reads from the OpenAPI definitions that Kubernetes generates as Go what its published documents leave out: the allowed values of a field, with
// their descriptions. Part of kubernetes-kinds.ts.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type EnumField = { readonly description: string; readonly values: readonly string[] }

/** Fields with enumerated values, by schema name and field. For a list they are those of its items. */
export const enumFields = (modules: string, release: string): Map<string, Map<string, EnumField>> => {
  const file = join(modules, `kubernetes@${release}`, 'pkg/generated/openapi/zz_generated.openapi.go')
  const definitions = readFileSync(file, 'utf8')
    .split(/^func schema_k8sio_api_/m)
    .slice(1)
  return new Map(definitions.map(definition => [nameOf(definition), fieldsOf(definition)]))
}

/** `apps_v1_Deployment(ref …` */
const nameOf = (definition: string): string => {
  const [group, version, ...kind] = definition.slice(0, definition.indexOf('(')).split('_')
  return `io.k8s.api.${group}.${version}.${kind.join('_')}`
}

const fieldsOf = (definition: string): Map<string, EnumField> => {
  const found = new Map<string, EnumField>()
  for (const [, name = '', body = ''] of definition.matchAll(/^\t{5}"([^"]+)": \{\n([\s\S]*?)^\t{5}\}/gm)) {
    const values = /Enum: +\[\]interface\{\}\{(.*)\}/.exec(body)?.[1]
    const description = /^\t{7}Description: (".*"),$/m.exec(body)?.[1] ?? '""'
    if (values) found.set(name, { description: JSON.parse(description), values: JSON.parse(`[${values}]`) })
  }
  return found
}
