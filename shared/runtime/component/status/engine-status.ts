// Reads and writes the engine's fields in a component's status.
import { isDeepStrictEqual } from 'node:util'
import type { StatusChange } from '../../../core/decisions/plan.ts'
import { valueAt } from '../../../core/json/fields.ts'
import { isMap, type JsonMap, mapOrEmpty } from '../../../core/json/json.ts'
import { mergedPatches, mergePatched } from '../../../core/json/merge-patch.ts'
import type { Condition } from '../../../core/objects/condition.ts'
import type { KubeObject } from '../../../core/objects/object.ts'

export type EngineStatus = {
  readonly observedGeneration?: number
  readonly appliedGeneration?: number
  readonly revision?: number
  readonly lastObservedAt?: string
  readonly lastAppliedAt?: string
  readonly processingSince?: string
  readonly revisionAt?: string
  readonly processingDigest?: string
  readonly lastProcessingDigest?: string
  readonly state?: string
  readonly conditions?: readonly Condition[]
  readonly deleteHooks?: number
  readonly inventory?: readonly JsonMap[]
}

const fields = [
  'observedGeneration',
  'appliedGeneration',
  'revision',
  'lastObservedAt',
  'lastAppliedAt',
  'processingSince',
  'revisionAt',
  'processingDigest',
  'lastProcessingDigest',
  'state',
  'conditions',
  'deleteHooks',
  'inventory',
] as const

/** `path`: `status`, or a field below it. */
export const statusAt = (component: KubeObject, path: string): EngineStatus =>
  mapOrEmpty(valueAt(component, ...path.split('.')))

/**
 * The merge patch of the status: all engine fields, and other fields that hooks changed. Unchanged engine fields are included, so that a
 * change by another client causes a conflict (shared/kube/writes/bound-writes.ts).
 */
export const statusChange = (read: KubeObject, hooked: KubeObject, written: Written): StatusChange => {
  const { path, engine, hasInventory } = written
  const named = fields.filter(field => hasInventory || field !== 'inventory')
  const values = { ...engine, conditions: conditionsBeside(statusAt(hooked, path), engine) }
  const ours = Object.fromEntries(named.map(field => [field, values[field] ?? null]))
  return mergedPatches(
    difference(mapOrEmpty(read.status), mapOrEmpty(hooked.status)),
    mapOrEmpty(nestedAt(path, ours).status),
  )
}

/** Sets condition Ready. Other conditions keep the values that hooks set. */
const conditionsBeside = (hooked: EngineStatus, engine: EngineStatus): readonly Condition[] | undefined => {
  const ready = engine.conditions?.find(isReadyCondition)
  if (!ready) return hooked.conditions
  const conditions = hooked.conditions ?? []
  return conditions.some(isReadyCondition)
    ? conditions.map(one => (isReadyCondition(one) ? ready : one))
    : [...conditions, ready]
}

export const isReadyCondition = ({ type }: Condition): boolean => type === 'Ready'

/** A merge patch of the whole object. */
const nestedAt = (path: string, engine: JsonMap): JsonMap =>
  path.split('.').reduceRight<JsonMap>((inner, field) => ({ [field]: inner }), engine)

/** `hasInventory`: whether the engine stores the inventory, and not the definition's adapter. */
type Written = { readonly path: string; readonly engine: EngineStatus; readonly hasInventory: boolean }

/** The input of pure generators: without engine status and resourceVersion. */
export const withoutEngineStatus = (component: KubeObject, path: string): KubeObject => {
  const { resourceVersion: _, ...metadata } = component.metadata
  const engine = Object.fromEntries(fields.map(field => [field, null]))
  const { status } = mergePatched({ status: component.status }, nestedAt(path, engine)) as Pick<KubeObject, 'status'>
  return { ...component, metadata, status }
}

/** The merge patch from `before` to `after`. */
const difference = (before: JsonMap, after: JsonMap): JsonMap => {
  const gone = Object.keys(before).filter(field => !Object.hasOwn(after, field))
  const changed = Object.entries(after).filter(([field, value]) => !isDeepStrictEqual(before[field], value))
  return {
    ...Object.fromEntries(gone.map(field => [field, null])),
    ...Object.fromEntries(
      changed.map(([field, value]) => {
        const old = before[field]
        return [field, isMap(old) && isMap(value) ? difference(old, value) : value]
      }),
    ),
  }
}
