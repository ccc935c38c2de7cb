// Digests by which changes are told: of an object as it is to be, of a component, and of what a dependent's reconcile
// policy makes of both.
import { createHash } from 'node:crypto'
import { canonicalJson, type JsonMap } from '../../core/json.ts'
import type { KubeObject } from '../../core/object.ts'
import type { ReconcilePolicy } from './policies.ts'

/** Hex SHA-256 of canonical JSON. */
export const digestOf = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex')

/** Of all that is declared; what only an API server can know does not count. */
export const objectDigest = (object: KubeObject): string => {
  const { resourceVersion: _, generation: __, managedFields: ___, ...metadata } = object.metadata
  return digestOf({ ...object, metadata })
}

/** `references`: by path, the digest of what is referred to. */
export const componentDigest = (component: KubeObject, references: Readonly<Record<string, string>>): string => {
  const { annotations = {}, generation } = component.metadata
  return digestOf({ annotations, generation, refs: references } satisfies JsonMap)
}

const byPolicy: Record<ReconcilePolicy, (object: string, component: string) => string> = {
  OnObjectChange: object => object,
  OnObjectOrComponentChange: (object, component) => `${object}@${component}`,
  Once: () => onceDigest,
}

/** Never changes, so that nothing is written a second time. */
const onceDigest = '__once__'

/** A dependent is written when this changes. `object`, `component`: their digests. */
export const dependentDigest = (object: string, policy: ReconcilePolicy, component: string): string =>
  byPolicy[policy](object, component)
