// A dependent is a manifest with its policies and digest. Also makes the first inventory item of a dependent.
import { remembered } from '../../core/memory/remembered.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import type { Item, ItemKey, ManagedType } from '../inventory/item.ts'
import type { Policies } from './annotations.ts'
import { typeOf } from './managed-types.ts'
import { keptPolicies } from './policies.ts'

export type Dependent = {
  readonly key: ItemKey
  readonly object: KubeObject
  readonly policies: Policies
  readonly managedTypes: readonly ManagedType[]
  readonly digest: string
}

export const itemFor = ({ object, policies, managedTypes, digest }: Dependent): Item => {
  const { group, version, kind } = typeOf(object)
  return {
    group,
    version,
    kind,
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
    ...keptPolicies(policies),
    managedTypes,
    digest,
    fingerprint: '',
    phase: 'ScheduledForApplication',
    status: 'InProgress',
    lastAppliedAt: '',
  }
}

export const typesBroughtBy = remembered((dependents: readonly Dependent[]): readonly ManagedType[] =>
  dependents.flatMap(({ managedTypes }) => managedTypes),
)

export const isRegular = ({ policies }: Dependent): boolean => policies.deleteHooks.length === 0
