// CustomResourceDefinition: its defaults and the checks of its spec. crd/ serves stored ones.
import { isText } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { definedRuleFaults } from '../crd/rule-definitions.ts'
import { structuralFaults } from '../crd/structural.ts'
import { faultsIn, immutable, invalidValue, required, unlisted } from '../faults.ts'
import type { Schema } from '../kinds/schema.ts'
import type { FieldFault } from '../status.ts'
import { fieldsAt, type JsonMap, sameJson, textAt } from '../value.ts'
import { each, ensured, fill, inner } from './draft.ts'
import type { Traits } from './trait.ts'

const defaults = (draft: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  const names = ensured(spec, 'names')
  if (isText(names.kind)) {
    names.singular ||= names.kind.toLowerCase()
    names.listKind ||= `${names.kind}List`
  }
  fill(spec, { conversion: { strategy: 'None' } })
  const service = inner(inner(inner(inner(spec, 'conversion'), 'webhook'), 'clientConfig'), 'service')
  if (service) fill(service, { port: 443 })
  delete spec.preserveUnknownFields
}

const onCreate = (draft: KubeObject): void => {
  const storage = each(inner(draft, 'spec'), 'versions').find(version => version.storage === true)
  draft.status = {
    conditions: null,
    acceptedNames: { plural: '', kind: '' },
    storedVersions: storage ? [storage.name] : null,
  }
}

const faults = (object: KubeObject): FieldFault[] => {
  const spec = fieldsAt(object, 'spec') ?? {}
  const names = inner(spec, 'names') ?? {}
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
  const versions = each(spec, 'versions')
  const storing = versions.filter(version => version.storage === true).length
  const [first] = versions
  const areAlike = first !== undefined && versions.every(version => sameJson(version.schema, first.schema))
  const hasOneSchema = areAlike && inner(inner(first, 'schema'), 'openAPIV3Schema') !== undefined
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

/** The API server prints its own struct here, without a schema that all versions share. */
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
  each(version, 'additionalPrinterColumns').flatMap((column, index) => {
    const place = `${path}.additionalPrinterColumns[${index}]`
    const isKnown = columnTypes.includes(String(column.type))
    const isPath = String(column.jsonPath ?? '').startsWith('.')
    return faultsIn(
      !column.name && required(`${place}.name`),
      !isKnown && invalidValue(`${place}.type`, column.type, `must be one of ${columnTypes.join(',')}`),
      !isPath && invalidValue(`${place}.JSONPath`, column.jsonPath, 'must be a simple json path starting with .'),
    )
  })

/** In the API server, versions with the same schema share one, which has this path. */
const schemaFaultsOf = (version: JsonMap, path: string): FieldFault[] => {
  const schema = inner(inner(version, 'schema'), 'openAPIV3Schema')
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
  const storage = each(inner(draft, 'spec'), 'versions').find(version => version.storage === true)
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
