// A dependent is a manifest with its policies and digest. A changed digest means that the dependent is applied again.
import { sha256Hex } from '../../core/digest.ts'
import { canonicalJson, type JsonMap } from '../../core/json/json.ts'
import { remembered } from '../../core/memory/remembered.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { espalierAnnotations } from '../../core/objects/steering.ts'
import type { ItemKey, ManagedType, ReconcilePolicy } from '../item.ts'
import type { Policies } from './annotations.ts'

export type Dependent = {
  readonly key: ItemKey
  readonly object: KubeObject
  readonly policies: Policies
  readonly managedTypes: readonly ManagedType[]
  readonly digest: string
}

export const typesBroughtBy = remembered((dependents: readonly Dependent[]): readonly ManagedType[] =>
  dependents.flatMap(({ managedTypes }) => managedTypes),
)

export const isRegular = ({ policies }: Dependent): boolean => policies.deleteHooks.length === 0

export const digestOf = (value: unknown): string => sha256Hex(canonicalJson(value))

/** Ignores fields that only an API server sets. */
export const objectDigest = (object: KubeObject): string => {
  const { resourceVersion: _, generation: __, managedFields: ___, ...metadata } = object.metadata
  return digestOf({ ...object, metadata })
}

/** Annotations to ignore, because they control functions and do not change the content. */
const steering: readonly string[] = Object.values(espalierAnnotations)

/** `references`: digests of referenced objects, by path. */
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

/** The digest for the reconcile policy `once` is constant, so the object is applied once. */
const onceDigest = '__once__'

/** A dependent is applied again when this digest changes. `object` and `component` are digests, too. */
export const dependentDigest = (object: string, policy: ReconcilePolicy, component: string): string =>
  byPolicy[policy](object, component)
