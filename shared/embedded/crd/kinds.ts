// From a CustomResourceDefinition to the kinds it serves.
import { remembered } from '../../core/memory/remembered.ts'
import type { KubeObject, ObjectMeta } from '../../core/objects/object.ts'
import type { CustomTraits, Kind, PrinterColumn, Subresource } from '../kinds/kind.ts'
import { memberOf, type Schema } from '../kinds/schema.ts'
import { typedMeta } from '../kinds/typed.ts'
import { fieldsAt, isMap, type JsonMap, listAt, mapsAt, textAt, withoutField } from '../value.ts'
import { defaulted, pruned } from './defaults.ts'
import { customFaults } from './object-faults.ts'

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
  const read = (value: JsonMap, metadata: ObjectMeta, unknown: string[]) =>
    customObject({ apiVersion, kind, schema }, value, metadata, unknown)
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
      read,
      faults: customFaults(schema, scaleOf(version)),
      printerColumns: listAt(version, 'additionalPrinterColumns') as PrinterColumn[],
      selectableFields: listAt(version, 'selectableFields').map(field => textAt(field, 'jsonPath').replace(/^\./, '')),
      scale: scaleOf(version),
    },
    show: stored => shownAs(stored, apiVersion, { schema, stored: schemaOf(definition, stored.apiVersion) }),
    hide: shown => hiddenAs(shown, storageVersion(definition), schemaOf(definition, storageVersion(definition))),
  }
}

const scaleOf = (version: JsonMap): CustomTraits['scale'] =>
  fieldsAt(version, 'subresources', 'scale') as CustomTraits['scale']

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

type Typing = { apiVersion: string; kind: string; schema: Schema }

const customObject = (
  { apiVersion, kind, schema }: Typing,
  value: JsonMap,
  metadata: ObjectMeta,
  unknown: string[],
): KubeObject => {
  const body = withoutField(withoutField(withoutField(value, 'apiVersion'), 'kind'), 'metadata')
  const known = withEmbeddedMeta(pruned(body, schema, '', unknown), schema)
  const whole = defaulted(known, withoutMeta(schema)) as JsonMap
  return { apiVersion, kind, metadata, ...whole }
}

/** A schema can restrict only name and generateName of an object's own metadata, and default nothing there. */
const withoutMeta = (schema: Schema): Schema => {
  if (!schema.properties?.metadata) return schema
  const { metadata: _, ...properties } = schema.properties
  return { ...schema, properties }
}

/** Metadata of embedded resources is cleaned like an object's own. */
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

type ShownSchemas = { readonly schema: Schema; readonly stored: Schema }

/**
 * With the defaults of the version in the store, which may be newer than the object, and without what the shown version
 * lacks.
 */
const shownAs = (object: KubeObject, apiVersion: string, { schema, stored }: ShownSchemas): KubeObject => {
  const whole = defaulted(object, withoutMeta(stored)) as KubeObject
  return object.apiVersion === apiVersion ? whole : convertedTo(whole, apiVersion, schema)
}

const hiddenAs = (shown: KubeObject, apiVersion: string, schema: Schema): KubeObject =>
  shown.apiVersion === apiVersion ? shown : convertedTo(shown, apiVersion, schema)

const convertedTo = ({ metadata, kind, ...object }: KubeObject, apiVersion: string, schema: Schema): KubeObject => {
  const { apiVersion: _, ...body } = object
  return { apiVersion, kind, metadata, ...(pruned(body, schema, '', []) as JsonMap) }
}
