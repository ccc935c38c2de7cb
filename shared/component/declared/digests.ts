// Digests that tell whether something has changed: of a manifest, of a component, and of a dependent, whose reconcile policy
// says which of both count.

import { sha256Hex } from '../../core/digest.ts'
import { canonicalJson, type JsonMap } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { espalierAnnotations } from '../../core/objects/steering.ts'
import type { ReconcilePolicy } from './policies.ts'

export const digestOf = (value: unknown): string => sha256Hex(canonicalJson(value))

/** Of a manifest. Fields that only an API server sets do not count. */
export const objectDigest = (object: KubeObject): string => {
  const { resourceVersion: _, generation: __, managedFields: ___, ...metadata } = object.metadata
  return digestOf({ ...object, metadata })
}

/** They change when functions work on the component, not what it is. */
const steering: readonly string[] = Object.values(espalierAnnotations)

/** `references`: by path, the digest of the object that the component refers to there. */
export const componentDigest = (component: KubeObject, references: Readonly<Record<string, string>>): string => {
  const { annotations = {}, generation } = component.metadata
  const counted = Object.fromEntries(Object.entries(annotations).filter(([name]) => !steering.includes(name)))
  return digestOf({ annotations: counted, generation, refs: references } satisfies JsonMap)
}

const byPolicy: Record<ReconcilePolicy, (object: string, component: string) => string> = {
  OnObjectChange: object => object,
  OnObjectOrComponentChange: (object, component) => `${object}@${component}`,
  Once: () => onceDigest,
}

/** Never changes, so the object is applied once. */
const onceDigest = '__once__'

/** A dependent is applied when this changes. `object`, `component`: their digests. */
export const dependentDigest = (object: string, policy: ReconcilePolicy, component: string): string =>
  byPolicy[policy](object, component)
