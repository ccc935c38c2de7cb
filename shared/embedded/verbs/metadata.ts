// Fields of metadata that the API server owns: which fields it sets, refuses, and keeps during an update.
import { randomUUID } from 'node:crypto'
import type { KubeObject, ObjectMeta, OwnerReference } from '../../core/objects/object.ts'
import { nameFaultsOf } from '../builtin/traits.ts'
import type { Kind } from '../kinds/kind.ts'
import { generatedName, labelNameFaults, labelValueFaults, qualifiedNameFaults } from '../names.ts'
import {
  badRequest,
  type FieldFault,
  faultsIn,
  forbiddenField,
  gvkText,
  immutable,
  invalidValue,
  required,
  tooLong,
} from '../status.ts'
import { nowText } from '../time.ts'
import { sameJson } from '../value.ts'
import type { Call } from './call.ts'

const longestAnnotations = 262_144

/** The metadata without fields that clients cannot set. */
export const withoutSystemFields = (metadata: ObjectMeta): ObjectMeta => {
  const { uid: _, creationTimestamp: __, deletionTimestamp: ___, ...rest } = metadata
  const { deletionGracePeriodSeconds: ____, selfLink: _____, ...own } = rest as ObjectMeta & Record<string, unknown>
  return own as ObjectMeta
}

/** Sets the namespace of the path. Refuses another namespace in the object. */
export const placed = (object: KubeObject, kind: Kind, namespace: string): KubeObject => {
  const given = object.metadata.namespace ?? ''
  const expected = kind.namespaced ? namespace : ''
  if (given === expected) return object
  if (given !== '' && expected !== '')
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  const { namespace: _, ...metadata } = object.metadata
  return { ...object, metadata: expected ? { ...metadata, namespace: expected } : metadata }
}

/** Refuses an object without a name, or with another name than the path's. */
export const withNameOf = (call: Call, object: KubeObject): KubeObject => {
  const { name } = object.metadata
  if (name === call.name) return object
  if (!name)
    throw badRequest(`the name of the object (${call.name} based on URL) was undeterminable: name must be provided`)
  throw badRequest(`the name of the object (${name}) does not match the name on the URL (${call.name})`)
}

export const born = (metadata: ObjectMeta): ObjectMeta => ({
  ...metadata,
  name: metadata.name || (metadata.generateName ? generatedName(metadata.generateName) : ''),
  uid: randomUUID(),
  creationTimestamp: nowText(),
})

export const metadataFaults = (object: KubeObject, kind: Kind): FieldFault[] => {
  const { metadata } = object
  return [...nameFaults(metadata, kind), ...commonFaults(metadata), ...finalizerFaults(metadata.finalizers, kind)]
}

const nameFaults = (metadata: ObjectMeta, kind: Kind): FieldFault[] => {
  if (!metadata.name) return [required('metadata.name', 'name or generateName is required')]
  const faults = nameFaultsOf(kind)(metadata.name).map(why => invalidValue('metadata.name', metadata.name, why))
  const place = metadata.namespace
    ? labelNameFaults(metadata.namespace).map(why => invalidValue('metadata.namespace', metadata.namespace, why))
    : []
  return [...faults, ...place]
}

const commonFaults = (metadata: ObjectMeta): FieldFault[] => [
  ...labelFaults(metadata.labels ?? {}, 'metadata.labels'),
  ...annotationFaults(metadata.annotations ?? {}),
  ...ownerFaults(metadata),
]

const labelFaults = (labels: Record<string, string>, path: string): FieldFault[] =>
  Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedNameFaults(key).map(why =>
      invalidValue(path, key, why.replace(/^a qualified name/, 'a valid label key')),
    ),
    ...labelValueFaults(value).map(why => invalidValue(path, value, why)),
  ])

const annotationFaults = (annotations: Record<string, string>): FieldFault[] => {
  const path = 'metadata.annotations'
  let size = 0
  const faults: FieldFault[] = []
  for (const [key, value] of Object.entries(annotations)) {
    size += key.length + value.length
    for (const why of qualifiedNameFaults(key.toLowerCase())) faults.push(invalidValue(path, key, why))
  }
  return faultsIn(faults, size > longestAnnotations && tooLong(path, longestAnnotations))
}

const ownerFaults = ({ ownerReferences = [] }: ObjectMeta): FieldFault[] => {
  const path = 'metadata.ownerReferences'
  const needed = ['apiVersion', 'kind', 'name', 'uid'] as const
  const invalid = (shown: string, why: string) => ({
    ...invalidValue(path, '', ''),
    detail: `Invalid value: ${shown}: ${why}`,
  })
  const empty = { apiVersion: 'version must not be empty', kind: whyEmpty, name: whyEmpty, uid: whyEmpty }
  const faults = ownerReferences.flatMap(owner =>
    faultsIn(
      needed.filter(field => !owner[field]).map(field => invalidValue(`${path}.${field}`, '', empty[field])),
      (owner.apiVersion?.split('/').length ?? 0) > 2 &&
        invalidValue(`${path}.apiVersion`, owner.apiVersion, empty.apiVersion),
      owner.kind === 'Event' && eventVersions.includes(owner.apiVersion) && invalid(goOwners(owner), disallowed(owner)),
    ),
  )
  const [first, second] = ownerReferences.filter(owner => owner.controller === true)
  if (!first || !second) return faults
  const why = `Only one reference can have Controller set to true. Found "true" in references for ${first.kind}/${first.name} and ${second.kind}/${second.name}`
  return [...faults, invalid(`[${ownerReferences.map(goOwners).join(',')}]`, why)]
}

const whyEmpty = 'must not be empty'

const eventVersions = ['v1', 'events.k8s.io/v1']

const goOwners = ({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): string =>
  JSON.stringify({ apiVersion, kind, name, uid, controller, blockOwnerDeletion })

const disallowed = (owner: OwnerReference): string => `${gvkText(owner)} is disallowed from being an owner`

const garbageFinalizers = ['orphan', 'foregroundDeletion']

/** kube-apiserver's own kinds require a domain and a slash; kinds of apiextensions and the aggregator, and custom kinds, do not. */
const takesPlainFinalizers = ({ custom, group }: Kind): boolean =>
  custom !== undefined || group === 'apiextensions.k8s.io' || group === 'apiregistration.k8s.io'

const finalizerFaults = (finalizers: readonly string[] = [], kind: Kind): FieldFault[] => {
  const path = 'metadata.finalizers'
  const isKnown = (name: string) => name.includes('/') || [...garbageFinalizers, 'kubernetes'].includes(name)
  const why = 'name is neither a standard finalizer name nor is it fully qualified'
  const faults = finalizers.flatMap((finalizer, index) =>
    faultsIn(
      qualifiedNameFaults(finalizer).map(why => invalidValue(path, finalizer, why)),
      !takesPlainFinalizers(kind) && !isKnown(finalizer) && invalidValue(`${path}[${index}]`, finalizer, why),
    ),
  )
  return garbageFinalizers.every(finalizer => finalizers.includes(finalizer))
    ? [...faults, invalidValue(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set')]
    : faults
}

const keptWhenAbsent = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'generateName',
] as const

export const updatedMetadata = (next: ObjectMeta, before: ObjectMeta): ObjectMeta => {
  const result: Record<string, unknown> = { ...next }
  const old = before as ObjectMeta & Record<string, unknown>
  for (const field of keptWhenAbsent)
    if (result[field] === undefined && old[field] !== undefined) result[field] = old[field]
  result.generation = old.generation
  result.creationTimestamp = old.creationTimestamp
  if (old.generation === undefined) delete result.generation
  return result as ObjectMeta
}

const neverChanging = ['name', 'namespace', 'uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const

export const metadataUpdateFaults = (next: ObjectMeta, before: ObjectMeta): FieldFault[] => {
  const now = next as ObjectMeta & Record<string, unknown>
  const old = before as ObjectMeta & Record<string, unknown>
  const added = (next.finalizers ?? []).filter(finalizer => !before.finalizers?.includes(finalizer))
  const names = added.map(each => JSON.stringify(each)).join(', ')
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${names}}`
  return faultsIn(
    before.deletionTimestamp !== undefined && added.length > 0 && forbiddenField('metadata.finalizers', why),
    neverChanging
      .filter(field => !sameJson(now[field], old[field]))
      .map(field => immutable(`metadata.${field}`, now[field])),
    commonFaults(next),
  )
}
