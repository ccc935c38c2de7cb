// Decides which fields a write of the main resource or of a subresource may change, and when the generation grows.
import { remembered } from '../../core/memory/remembered.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { emptySet, type FieldSet, setOfPaths } from '../apply/field-set.ts'
import { traitsOf } from '../builtin/traits.ts'
import { defaulted } from '../crd/defaults.ts'
import { decodeAs } from '../kinds/decode.ts'
import { hasStatus, type Kind } from '../kinds/kind.ts'
import type { FieldFault } from '../status.ts'
import { type JsonMap, sameJson, withoutField } from '../value.ts'
import { metadataFaults, metadataUpdateFaults, updatedMetadata } from './metadata.ts'

const status = setOfPaths(['status'])
const allButStatus = setOfPaths(['spec'])
const allButCustomStatus = setOfPaths(['spec'], ['metadata'])

/** Fields that this kind of write resets, so that the manager of the write never owns these fields. */
export const ignoredFields = (kind: Kind, subresource: string): FieldSet => {
  if (subresource === 'status') return kind.custom ? allButCustomStatus : allButStatus
  return subresource === '' && hasStatus(kind) ? status : emptySet
}

/** An empty object of the kind. An empty built-in object still contains its structs. */
export const blankOf = remembered(
  (kind: Kind): JsonMap => (kind.custom || !kind.schema?.$ref ? {} : decodeAs(kind.schema.$ref, {}, [])),
)

const withoutStatus = (object: KubeObject, kind: Kind): KubeObject => {
  const empty = kind.custom ? defaultStatus(kind) : blankOf(kind).status
  if (empty === undefined) return withoutField(object, 'status') as KubeObject
  return { ...object, status: empty }
}

const defaultStatus = ({ schema }: Kind): unknown => {
  const status = schema?.properties?.status
  return status?.default === undefined ? undefined : defaulted(status.default, status)
}

const countsGenerations = (kind: Kind): boolean =>
  kind.custom !== undefined || traitsOf(kind).generationOf !== undefined

export const preparedForCreate = (object: KubeObject, kind: Kind): KubeObject => {
  const traits = traitsOf(kind)
  const cleared = hasStatus(kind) && !traits.keepsStatusOnCreate ? withoutStatus(object, kind) : object
  const metadata = countsGenerations(kind) ? { ...cleared.metadata, generation: 1 } : cleared.metadata
  const prepared = { ...cleared, metadata }
  traits.onCreate?.(prepared)
  return prepared
}

/** Prepares an update: fields that this kind of write cannot change keep their values. */
export const preparedForUpdate = (
  next: KubeObject,
  before: KubeObject,
  kind: Kind,
  subresource: string,
): KubeObject => {
  if (subresource === 'status') return withStatus(next, before, kind)
  const kept = hasStatus(kind) ? keepingStatus(next, before) : next
  const prepared: KubeObject = { ...kept, metadata: updatedMetadata(kept.metadata, before.metadata) }
  traitsOf(kind).onUpdate?.(prepared, before)
  if (!countsGenerations(kind) || !bumpsGeneration(prepared, before, kind)) return prepared
  return { ...prepared, metadata: { ...prepared.metadata, generation: (before.metadata.generation ?? 0) + 1 } }
}

const keepingStatus = (next: KubeObject, before: KubeObject): KubeObject =>
  before.status === undefined ? (withoutField(next, 'status') as KubeObject) : { ...next, status: before.status }

const withStatus = (next: KubeObject, before: KubeObject, kind: Kind): KubeObject => {
  if (!kind.custom) {
    const labels = traitsOf(kind).statusTakesLabels ? next.metadata.labels : before.metadata.labels
    const metadata = updatedMetadata({ ...next.metadata, labels }, before.metadata)
    return {
      ...before,
      metadata: withoutUndefined(metadata),
      ...(next.status !== undefined && { status: next.status }),
    }
  }
  const { managedFields, resourceVersion } = next.metadata
  const metadata = { ...before.metadata, resourceVersion, ...(managedFields ? { managedFields } : {}) }
  if (!managedFields) delete metadata.managedFields
  const bare = withoutField(before, 'status') as KubeObject
  return { ...bare, metadata, ...(next.status !== undefined && { status: next.status }) }
}

const withoutUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as T

const bumpsGeneration = (next: KubeObject, before: KubeObject, kind: Kind): boolean => {
  const fields = traitsOf(kind).generationOf
  if (fields) return fields.some(field => !sameJson(next[field], before[field]))
  const counted = (object: KubeObject) => {
    const { metadata: _, apiVersion: __, ...rest } = object
    return hasStatus(kind) ? withoutField(rest, 'status') : rest
  }
  return !sameJson(counted(next), counted(before))
}

export const faultsOnCreate = (object: KubeObject, kind: Kind): FieldFault[] => [
  ...metadataFaults(object, kind),
  ...contentFaults(object, kind, ''),
]

/** Faults of metadata are listed twice, because the API server checks metadata in general and for the kind. */
export const faultsOnUpdate = (next: KubeObject, before: KubeObject, kind: Kind, subresource: string): FieldFault[] => {
  const metadata = metadataUpdateFaults(next.metadata, before.metadata)
  return [
    ...metadata,
    ...metadata,
    ...contentFaults(next, kind, subresource, before),
    ...(subresource === '' ? (traitsOf(kind).updateFaults?.(next, before) ?? []) : []),
  ]
}

const contentFaults = (object: KubeObject, kind: Kind, subresource: string, before?: KubeObject): FieldFault[] =>
  kind.custom ? kind.custom.faults(object, subresource, before) : (traitsOf(kind).faults?.(object) ?? [])
