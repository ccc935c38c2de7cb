// CustomResourceDefinition: its defaults and the checks of its spec. crd/ serves stored definitions.
import { isText } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { definedRuleFaults } from '../crd/rule-definitions.ts'
import type { Schema } from '../kinds/kind.ts'
import { type FieldFault, faultsIn, forbiddenField, immutable, invalidValue, required, unlisted } from '../status.ts'
import { fieldsAt, isMap, type JsonMap, mapsAt, sameJson, textAt } from '../value.ts'
import { defaultsAt, ensured, type Traits } from './trait.ts'

const defaults = (draft: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  const names = ensured(spec, 'names')
  if (isText(names.kind)) {
    names.singular ||= names.kind.toLowerCase()
    names.listKind ||= `${names.kind}List`
  }
  conversionDefaults(spec)
  delete spec.preserveUnknownFields
}

const conversionDefaults = defaultsAt({
  '': { conversion: { strategy: 'None' } },
  'conversion.webhook.clientConfig.service': { port: 443 },
})

const onCreate = (draft: KubeObject): void => {
  const storage = mapsAt(draft, 'spec', 'versions').find(version => version.storage === true)
  draft.status = {
    conditions: null,
    acceptedNames: { plural: '', kind: '' },
    storedVersions: storage ? [storage.name] : null,
  }
}

const faults = (object: KubeObject): FieldFault[] => {
  const spec = fieldsAt(object, 'spec') ?? {}
  const names = fieldsAt(spec, 'names') ?? {}
  const expected = `${names.plural}.${spec.group}`
  const { name, resourceVersion } = object.metadata
  return faultsIn(
    name !== expected &&
      !resourceVersion &&
      invalidValue('metadata.name', name, 'must be spec.names.plural+"."+spec.group'),
    !spec.group && required('spec.group'),
    spec.scope ? unlisted('spec.scope', spec.scope, ['Cluster', 'Namespaced']) : required('spec.scope'),
    versionFaults(spec),
    ['plural', 'singular', 'kind', 'listKind'].filter(name => !names[name]).map(name => required(`spec.names.${name}`)),
  )
}

const versionFaults = (spec: JsonMap): FieldFault[] => {
  const versions = mapsAt(spec, 'versions')
  const storing = versions.filter(version => version.storage === true).length
  const [first] = versions
  const areAlike = first !== undefined && versions.every(version => sameJson(version.schema, first.schema))
  const hasOneSchema = areAlike && fieldsAt(first, 'schema', 'openAPIV3Schema') !== undefined
  const detail = `Invalid value: ${goVersions(versions)}: must have exactly one version marked as storage version`
  return faultsIn(
    hasOneSchema
      ? schemaFaultsOf(first, 'spec.validation.openAPIV3Schema')
      : versions.flatMap((one, index) => schemaFaultsOf(one, `spec.versions[${index}].schema.openAPIV3Schema`)),
    storing !== 1 && { ...invalidValue('spec.versions', '', ''), detail },
    storing !== 1 && invalidValue('status.storedVersions', undefined, 'must have at least one stored version'),
    versions.flatMap((version, index) => columnFaults(version, areAlike ? 'spec' : `spec.versions[${index}]`)),
  )
}

/** The versions as Go prints a struct, as in the API server's message. A schema that all versions share is left out. */
const goVersions = (versions: readonly JsonMap[]): string =>
  JSON.stringify(
    versions.map(({ name, served, storage }) => ({
      Name: name,
      Served: served,
      Storage: storage,
      Deprecated: false,
      DeprecationWarning: null,
      Schema: null,
      Subresources: null,
      AdditionalPrinterColumns: null,
      SelectableFields: null,
    })),
  )

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string']

const columnFaults = (version: JsonMap, path: string): FieldFault[] =>
  mapsAt(version, 'additionalPrinterColumns').flatMap((column, index) => {
    const place = `${path}.additionalPrinterColumns[${index}]`
    const isKnown = columnTypes.includes(String(column.type))
    const isPath = String(column.jsonPath ?? '').startsWith('.')
    return faultsIn(
      !column.name && required(`${place}.name`),
      !isKnown && invalidValue(`${place}.type`, column.type, `must be one of ${columnTypes.join(',')}`),
      !isPath && invalidValue(`${place}.JSONPath`, column.jsonPath, 'must be a simple json path starting with .'),
    )
  })

/** In the API server, versions with the same schema share one schema, which has the given path. */
const schemaFaultsOf = (version: JsonMap, path: string): FieldFault[] => {
  const schema = fieldsAt(version, 'schema', 'openAPIV3Schema')
  if (!schema) return [required(path)]
  const faults = structuralFaults(schema as Schema, path)
  return faults.length > 0 ? faults : definedRuleFaults(schema as Schema, path)
}

const fixed = [
  ['spec', 'group'],
  ['spec', 'names', 'plural'],
  ['spec', 'scope'],
  ['spec', 'names', 'kind'],
]

const updateFaults = (object: KubeObject, before: KubeObject): FieldFault[] =>
  fixed
    .filter(path => textAt(object, ...path) !== textAt(before, ...path))
    .map(path => immutable(path.join('.'), textAt(object, ...path)))

const onUpdate = (draft: KubeObject): void => {
  const storage = mapsAt(draft, 'spec', 'versions').find(version => version.storage === true)
  const status = ensured(draft, 'status')
  const known = Array.isArray(status.storedVersions) ? status.storedVersions : []
  if (storage && !known.includes(storage.name)) draft.status = { ...status, storedVersions: [...known, storage.name] }
}

export const customResourceDefinitionTraits: Traits = {
  defaults,
  onCreate,
  onUpdate,
  faults,
  updateFaults,
  generationOf: ['spec'],
}

export const customResourceCleanup = 'customresourcecleanup.apiextensions.k8s.io'

/** In a structural schema every field has a type, and `allOf`, `anyOf`, `oneOf` and `not` contain only checks. */
const structuralFaults = (schema: Schema, path: string): FieldFault[] => {
  const { type } = schema
  const rootFaults = faultsIn(
    !type && required(`${path}.type`, 'must not be empty at the root'),
    type && type !== 'object' ? invalidValue(`${path}.type`, type, 'must be object at the root') : false,
  )
  return [...innerFaults(schema, path, rootFaults.length > 0), ...rootFaults]
}

const whyField = 'must not be empty for specified object fields'
const whyUnique = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string']

const innerFaults = (schema: Schema, path: string, isRootFaulty = false): FieldFault[] => {
  const { type, properties, additionalProperties: rest, items, uniqueItems } = schema
  return faultsIn(
    !isRootFaulty && type !== undefined && type !== '' && unlisted(`${path}.type`, type, types),
    Object.entries(properties ?? {}).flatMap(([name, inner]) =>
      nodeFaults(inner, `${path}.properties[${name}]`, whyField),
    ),
    isMap(rest) && nodeFaults(rest as Schema, `${path}.additionalProperties`, whyField),
    items && nodeFaults(items, `${path}.items`, 'must not be empty for specified array items'),
    type === 'array' && !items && required(`${path}.items`, 'must be specified'),
    properties !== undefined &&
      Boolean(rest) &&
      forbiddenField(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'),
    uniqueItems === true && forbiddenField(`${path}.uniqueItems`, whyUnique),
    listTypeFaults(schema, path),
  )
}

const isFree = (schema: Schema): boolean =>
  schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true

const nodeFaults = (schema: Schema, path: string, why: string): FieldFault[] =>
  faultsIn(!schema.type && !isFree(schema) && required(`${path}.type`, why), innerFaults(schema, path))

const listTypeFaults = (schema: Schema, path: string): FieldFault[] => {
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  if (schema['x-kubernetes-list-type'] !== 'map') return []
  if (keys.length === 0)
    return [required(`${path}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map')]
  return keys
    .filter(key => !schema.items?.properties?.[key])
    .map(key => invalidValue(`${path}.x-kubernetes-list-map-keys`, key, 'entries must all be names of item properties'))
}
