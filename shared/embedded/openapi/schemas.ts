// Schemas in OpenAPI v3: built-in schemas with descriptions and references, custom schemas with the fields of every object.
import { apiVersionOf } from '../../core/objects/object.ts'
import { type Descriptions, definition, objectMetaName, readDescriptions, schemaNameOf } from '../kinds/builtin.ts'
import type { Kind, Schema } from '../kinds/kind.ts'
import type { JsonMap } from '../value.ts'

const references = '#/components/schemas/'
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1'
const bodies = ['DeleteOptions', 'Patch', 'Status'].map(name => `${meta}.${name}`)

export const reference = (name: string): JsonMap => ({ $ref: `${references}${name}` })

type Typed = { group: string; version: string; kind: string }

/** The name of the Go type; for custom kinds, the group in reverse order, version and kind. */
export const documentName = (type: Typed, isCustom: boolean): string =>
  (isCustom ? undefined : schemaNameOf(apiVersionOf(type), type.kind)) ??
  [...type.group.split('.').reverse(), type.version, type.kind].join('.')

export const componentSchemas = (kinds: readonly Kind[]): JsonMap => {
  const own = kinds.flatMap(ownSchemas)
  const refers = new Set([...bodies, `${meta}.ListMeta`, ...own.flatMap(({ needs }) => needs)])
  const builtin = [...closure(refers)].map((name): [string, unknown] => [name, describedSchema(name)])
  const all = [...builtin, ...own.map(({ name, schema }): [string, unknown] => [name, schema])]
  for (const [name, schema] of all) Object.assign(schema as JsonMap, gvkOf(name, kinds))
  return Object.fromEntries(all.sort(([left], [right]) => (left < right ? -1 : 1)))
}

type Own = { name: string; schema: JsonMap; needs: string[] }

const ownSchemas = (kind: Kind): Own[] => {
  const isCustom = kind.custom !== undefined
  const name = documentName(kind, isCustom)
  const list: Own = { name: `${name}List`, schema: listSchema(kind, name), needs: [] }
  const item: Own = isCustom
    ? { name, schema: customSchema(kind.schema ?? {}), needs: [objectMetaName] }
    : { name, schema: describedSchema(name), needs: [name] }
  const subresources = kind.subresources.map(sub => documentName(sub, isCustom && sub.group === kind.group))
  const needs = [...item.needs, ...subresources]
  return kind.verbs.includes('list') ? [{ ...item, needs }, list] : [{ ...item, needs }]
}

const closure = (roots: Iterable<string>): Set<string> => {
  const seen = new Set<string>()
  const open = [...roots]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name) || !isBuiltin(name)) continue
    seen.add(name)
    open.push(...referencesIn(definition(name)))
  }
  return seen
}

const isBuiltin = (name: string): boolean => Object.keys(definition(name)).length > 0

const referencesIn = (schema: Schema): string[] => [
  ...(schema.$ref ? [schema.$ref] : []),
  ...Object.values(schema.properties ?? {}).flatMap(referencesIn),
  ...(schema.items ? referencesIn(schema.items) : []),
  ...(typeof schema.additionalProperties === 'object' ? referencesIn(schema.additionalProperties) : []),
]

let descriptions: ReadonlyMap<string, Descriptions> | undefined

const described = (name: string): Descriptions => {
  descriptions ??= readDescriptions()
  return descriptions.get(name) ?? { own: '', fields: {}, values: {} }
}

const describedSchema = (name: string): JsonMap => {
  const { own, fields, values } = described(name)
  const { properties, ...rest } = plain(definition(name)) as { properties?: Record<string, JsonMap> }
  if (!properties) return withDescription(rest, own)
  const all = Object.entries(properties).map(([field, property]) => [
    field,
    withDescription(withValues(property, values[field]), fields[field]),
  ])
  return withDescription({ ...rest, properties: Object.fromEntries(all) }, own)
}

const withValues = (schema: JsonMap, values: readonly string[] | undefined): JsonMap => {
  if (!values) return schema
  return schema.items
    ? { ...schema, items: { ...(schema.items as JsonMap), enum: values } }
    : { ...schema, enum: values }
}

/** A reference must not have other fields beside it, so the reference moves into `allOf`. */
const withDescription = (schema: JsonMap, description: string | undefined): JsonMap => {
  if (!description) return schema
  const { $ref, ...rest } = schema
  return { description, ...($ref ? { allOf: [{ $ref }] } : {}), ...rest }
}

const plain = (schema: Schema): JsonMap => {
  const { 'x-go': _, 'x-proto': __, $ref, properties, items, additionalProperties, ...rest } = schema
  const target = $ref === undefined ? {} : reference($ref)
  return {
    ...($ref !== undefined && Object.keys(rest).length ? { allOf: [target] } : target),
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, plain(property)])),
    }),
    ...(items && { items: plain(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? plain(additionalProperties) : additionalProperties,
    }),
  }
}

/** The fields of every object, described as in a built-in kind. */
const head = (): JsonMap => {
  const { apiVersion, kind, metadata } = describedSchema('io.k8s.api.core.v1.ConfigMap').properties as JsonMap
  const { default: _, ...bareMetadata } = metadata as JsonMap
  return { apiVersion, kind, metadata: bareMetadata }
}

const customSchema = (schema: Schema): JsonMap => ({
  ...withEmbeddedHeads(schema),
  ...(!schema['x-kubernetes-preserve-unknown-fields'] || schema.properties
    ? { properties: { ...(withEmbeddedHeads(schema).properties as JsonMap), ...head() } }
    : {}),
})

/** Embedded objects get the fields of every object, too, and must have apiVersion and kind. */
const withEmbeddedHeads = (schema: Schema): JsonMap => {
  const { properties, items, additionalProperties } = schema
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true
  const inner = Object.entries(properties ?? {}).map(([name, property]) => [name, withEmbeddedHeads(property)])
  return {
    ...schema,
    ...((properties || isEmbedded) && { properties: { ...Object.fromEntries(inner), ...(isEmbedded && head()) } }),
    ...(isEmbedded && { required: [...new Set(['apiVersion', 'kind', ...(schema.required ?? [])])] }),
    ...(items && { items: withEmbeddedHeads(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: withEmbeddedHeads(additionalProperties) }),
  }
}

const listSchema = (kind: Kind, item: string): JsonMap => {
  const { apiVersion, kind: name } = head()
  return {
    description: `${kind.listKind} is a list of ${kind.kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion,
      kind: name,
      items: { type: 'array', items: reference(item) },
      metadata: { allOf: [reference(`${meta}.ListMeta`)] },
    },
  }
}

/** The mark by which clients find the schema of a kind. */
const gvkOf = (name: string, kinds: readonly Kind[]): JsonMap => {
  const types = kinds.flatMap(kind => {
    const isCustom = kind.custom !== undefined
    const subresources = kind.subresources.map(sub => ({ type: sub, isCustom: isCustom && sub.group === kind.group }))
    return [{ type: kind, isCustom }, { type: { ...kind, kind: kind.listKind }, isCustom }, ...subresources]
  })
  const found = types.find(({ type, isCustom }) => documentName(type, isCustom) === name)?.type
  if (!found) return {}
  const { group, version, kind } = found
  return { 'x-kubernetes-group-version-kind': [{ group, kind, version }] }
}
