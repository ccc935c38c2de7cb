// A manifest as a dependent: with its policies, its digest, and its entry in the inventory.
import type { KubeObject } from '../../core/object.ts'
import type { Item, ItemKey, ManagedType } from '../inventory/item.ts'
import type { Policies } from './annotations.ts'
import { typeOf } from './managed-types.ts'

/** What a component wants to have in the cluster. */
export type Dependent = {
  readonly key: ItemKey
  readonly object: KubeObject
  readonly policies: Policies
  readonly managedTypes: readonly ManagedType[]
  readonly digest: string
}

/** The entry by which the inventory remembers it, before it is written. */
export const itemFor = ({ object, policies, managedTypes, digest }: Dependent): Item => {
  const { group, version, kind } = typeOf(object)
  const { adoptionPolicy, reconcilePolicy, updatePolicy, deletePolicy, applyOrder, deleteOrder } = policies
  return {
    group,
    version,
    kind,
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
    adoptionPolicy,
    reconcilePolicy,
    updatePolicy,
    deletePolicy,
    applyOrder,
    deleteOrder,
    managedTypes,
    digest,
    fingerprint: '',
    phase: 'ScheduledForApplication',
    status: 'InProgress',
    lastAppliedAt: '',
  }
}

/** Kept by the component itself, as against delete hooks. */
export const isRegular = ({ policies }: Dependent): boolean => policies.deleteHooks.length === 0
