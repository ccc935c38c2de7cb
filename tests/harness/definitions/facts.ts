// What API servers and people notice of a definition (CRD): everything but descriptions, messages, the wording of rules and the order of fields.
import type { CustomResourceDefinition } from '../../../shared/api/custom-resource.ts'
import type { JsonSchema } from '../../../shared/api/schema.ts'
import { sha256Hex } from '../../../shared/core/digest.ts'
import { canonicalJson, type JsonMap, mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'

type Definition = Pick<CustomResourceDefinition, 'spec'>

/** Equal for definitions that mean the same, except for the fields at these paths. For a published definition: `digestOf(parse(<its file>))`. */
export const digestOf = (definition: Definition, without: readonly string[] = []): string =>
  sha256Hex(canonicalJson(factsOf(definition, without))).slice(0, 16)

const factsOf = ({ spec: { group, names, scope, versions } }: Definition, without: readonly string[]): JsonMap => ({
  group,
  names,
  scope,
  versions: mapsIn(versions)
    .map(({ name, served, storage, subresources, additionalPrinterColumns, schema }) => ({
      name,
      served,
      storage,
      subresources: Object.keys(mapOrEmpty(subresources)),
      columns: mapsIn(additionalPrinterColumns).map(({ name, type, jsonPath }) => ({ name, type, jsonPath })),
      schema: schemaFacts(mapOrEmpty(schema).openAPIV3Schema as JsonSchema, '', without),
    }))
    .sort((one, other) => String(one.name).localeCompare(String(other.name))),
})

/** A list is atomic by default. */
const schemaFacts = (schema: JsonSchema, path: string, without: readonly string[]): JsonMap => {
  const { description: _, properties = {}, items, additionalProperties, required, ...rest } = schema
  const { enum: words, 'x-kubernetes-list-type': listType, 'x-kubernetes-validations': rules, ...plain } = rest
  const fields = Object.entries(properties)
    .map(([name, field]) => ({ name, field, at: path ? `${path}.${name}` : name }))
    .filter(({ at }) => !without.includes(at))
    .map(({ name, field, at }) => [name, schemaFacts(field, at, without)] as const)
  return {
    ...plain,
    ...(required?.length && { required: required.toSorted() }),
    ...(words && { enum: words.toSorted() }),
    ...(rules && { rules: rules.length }),
    ...(listType && listType !== 'atomic' && { listType }),
    ...(items && { items: schemaFacts(items, `${path}[]`, without) }),
    ...(additionalProperties && { additionalProperties: schemaFacts(additionalProperties, `${path}{}`, without) }),
    ...(fields.length > 0 && { properties: Object.fromEntries(fields) }),
  }
}
