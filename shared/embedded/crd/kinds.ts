// Makes the kinds that a CustomResourceDefinition serves.
import { remembered } from '../../core/memory/remembered.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import {
  type CustomTraits,
  type Kind,
  memberOf,
  type PrinterColumn,
  type Schema,
  type Subresource,
} from '../kinds/kind.ts'
import { typedMeta } from '../kinds/typed.ts'
import { type FieldFault, invalidValue, required } from '../status.ts'
import { at, fieldsAt, isMap, type JsonMap, listAt, mapsAt, textAt, withoutField } from '../value.ts'
import { defaulted, pruned } from './defaults.ts'
import { ruleFaults, withRuleFaults } from './rules.ts'
import { faultsBelow, schemaFaults } from './validate.ts'

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']
const changing = ['get', 'patch', 'update']

export const kindsOf = (definition: KubeObject): Kind[] =>
  mapsAt(definition, 'spec', 'versions')
    .filter(version => version.served === true)
    .map(version => kindOf(definition, version))

const kindOf = (definition: KubeObject, version: JsonMap): Kind => {
  const group = textAt(definition, 'spec', 'group')
  const names = fieldsAt(definition, 'spec', 'names') ?? {}
  const schema = (fieldsAt(version, 'schema', 'openAPIV3Schema') ?? {}) as Schema
  const name = String(version.name)
  const apiVersion = `${group}/${name}`
  const kind = String(names.kind)
  const scale = fieldsAt(version, 'subresources', 'scale') as CustomTraits['scale']
  const storage = storageVersion(definition)
  // The stored version can be newer. The object gets its defaults.
  const whole = (stored: KubeObject) =>
    defaulted(stored, withoutMeta(schemaOf(definition, stored.apiVersion))) as KubeObject
  return {
    group,
    version: name,
    kind,
    listKind: String(names.listKind ?? `${kind}List`),
    plural: String(names.plural),
    singular: String(names.singular ?? kind.toLowerCase()),
    shortNames: textList(names.shortNames),
    categories: textList(names.categories),
    namespaced: textAt(definition, 'spec', 'scope') === 'Namespaced',
    verbs,
    subresources: subresourcesOf(version, group, kind),
    schema,
    collection: `${group}/${names.plural}`,
    custom: {
      definition: definition.metadata.name,
      read: readerOf(apiVersion, kind, schema),
      faults: customFaults(schema, scale),
      printerColumns: listAt(version, 'additionalPrinterColumns') as PrinterColumn[],
      selectableFields: listAt(version, 'selectableFields').map(field => textAt(field, 'jsonPath').replace(/^\./, '')),
      scale,
    },
    show: stored => convertedTo(whole(stored), apiVersion, schema),
    hide: shown => convertedTo(shown, storage, schemaOf(definition, storage)),
  }
}

const storageVersion = (definition: KubeObject): string => {
  const version = listAt(definition, 'spec', 'versions').find(each => isMap(each) && each.storage === true)
  return `${textAt(definition, 'spec', 'group')}/${textAt(version, 'name')}`
}

const schemaOf = (definition: KubeObject, apiVersion: string): Schema => {
  const name = apiVersion.slice(apiVersion.indexOf('/') + 1)
  const version = listAt(definition, 'spec', 'versions').find(each => textAt(each, 'name') === name)
  return (fieldsAt(version, 'schema', 'openAPIV3Schema') ?? {}) as Schema
}

const textList = (value: unknown): string[] | undefined =>
  Array.isArray(value) && value.length ? value.map(String) : undefined

const subresourcesOf = (version: JsonMap, group: string, kind: string): Subresource[] => {
  const given = fieldsAt(version, 'subresources') ?? {}
  const own = { group, version: String(version.name), kind, verbs: changing }
  return [
    ...(isMap(given.status) ? [{ ...own, name: 'status' }] : []),
    ...(isMap(given.scale)
      ? [{ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: changing }]
      : []),
  ]
}

const readerOf =
  (apiVersion: string, kind: string, schema: Schema): CustomTraits['read'] =>
  (value, metadata, unknown) => {
    const body = withoutField(withoutField(withoutField(value, 'apiVersion'), 'kind'), 'metadata')
    const known = withEmbeddedMeta(pruned(body, schema, '', unknown), schema)
    return { apiVersion, kind, metadata, ...(defaulted(known, withoutMeta(schema)) as JsonMap) }
  }

/** Limits the schema of metadata: a schema may only restrict name and generateName, and cannot set defaults. */
const withoutMeta = (schema: Schema): Schema => {
  if (!schema.properties?.metadata) return schema
  const { metadata: _, ...properties } = schema.properties
  return { ...schema, properties }
}

/** Cleans the metadata of embedded resources like the metadata of the object. */
const withEmbeddedMeta = (value: unknown, schema: Schema | undefined): unknown => {
  if (!schema || !hasEmbedded(schema)) return value
  if (Array.isArray(value)) return value.map(item => withEmbeddedMeta(item, schema.items))
  if (!isMap(value)) return value
  const entries = Object.entries(value).map(([key, item]) => {
    if (key === 'metadata' && schema['x-kubernetes-embedded-resource']) return [key, typedMeta(item, [])]
    return [key, withEmbeddedMeta(item, memberOf(schema, key))]
  })
  return Object.fromEntries(entries)
}

const hasEmbedded = remembered((schema: Schema): boolean => {
  const inner = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties].filter(isMap)
  return schema['x-kubernetes-embedded-resource'] === true || (inner as Schema[]).some(hasEmbedded)
})

/** The object in another version, without fields that the other version lacks. */
const convertedTo = (object: KubeObject, apiVersion: string, schema: Schema): KubeObject => {
  if (object.apiVersion === apiVersion) return object
  const { metadata, kind, apiVersion: _, ...body } = object
  return { apiVersion, kind, metadata, ...(pruned(body, schema, '', []) as JsonMap) }
}

/**
 * All checks of a custom object. A write to the status subresource checks only the status, except that validation rules (CEL) also see the
 * other fields.
 */
const customFaults =
  (schema: Schema, scale: CustomTraits['scale']): CustomTraits['faults'] =>
  (object, subresource, before) => {
    const value = nameOnly(object)
    const old = before && { ...nameOnly(before), metadata: value.metadata }
    const faults =
      subresource === 'status'
        ? statusFaults(object, schema, before)
        : mainFaults(object, value, old, { schema, scale })
    return withRuleFaults(faults, schema, () => ruleFaults(value, schema, old))
  }

const statusFaults = ({ status }: KubeObject, schema: Schema, before?: KubeObject): FieldFault[] => {
  const statusSchema = schema.properties?.status
  return statusSchema && status !== undefined ? faultsBelow('status', status, statusSchema, before?.status) : []
}

const mainFaults = (
  object: KubeObject,
  value: JsonMap,
  old: JsonMap | undefined,
  { schema, scale }: { schema: Schema; scale: CustomTraits['scale'] },
): FieldFault[] => [
  ...schemaFaults(value, schema, '', old),
  ...embeddedFaults(value, schema, ''),
  ...(scale ? replicaFaults(object, scale.specReplicasPath) : []),
]

/** The parts of the object that a schema can check. In metadata, these are only names. */
const nameOnly = ({ metadata: { name, generateName }, ...body }: KubeObject): JsonMap => ({
  ...body,
  metadata: { ...(name && { name }), ...(generateName && { generateName }) },
})

const embeddedFaults = (value: unknown, schema: Schema | undefined, path: string): FieldFault[] => {
  if (!schema) return []
  if (Array.isArray(value))
    return value.flatMap((item, index) => embeddedFaults(item, schema.items, `${path}[${index}]`))
  if (!isMap(value)) return []
  const missing = schema['x-kubernetes-embedded-resource'] ? ['apiVersion', 'kind'].filter(field => !value[field]) : []
  const below = Object.entries(value).flatMap(([key, item]) =>
    embeddedFaults(item, memberOf(schema, key), path ? `${path}.${key}` : key),
  )
  return [...missing.map(field => required(`${path}.${field}`)), ...below]
}

const goType = (value: unknown): string => {
  if (isMap(value)) return 'map[string]interface {}'
  return typeof value === 'number' ? 'float64' : typeof value === 'boolean' ? 'bool' : 'string'
}

const replicaFaults = (object: KubeObject, path: string): FieldFault[] => {
  const parts = path.split('.').filter(part => part !== '')
  const parents = parts.slice(0, -1)
  const wrongParent = parents
    .map((_, index) => at(object, ...parts.slice(0, index + 1)))
    .find(value => value !== undefined && !isMap(value))
  const fault = (value: unknown, wanted: string) =>
    invalidValue(path, 0, `${path} accessor error: ${value} is of the type ${goType(value)}, expected ${wanted}`)
  if (wrongParent !== undefined) return [fault(wrongParent, 'map[string]interface{}')]
  const replicas = at(object, ...parts)
  if (replicas === undefined || replicas === null) return []
  if (!Number.isInteger(replicas)) return [fault(replicas, 'int64')]
  return Number(replicas) < 0 ? [invalidValue(path, replicas, 'should be a non-negative integer')] : []
}
