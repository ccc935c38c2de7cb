// One entry of a component's inventory: which dependent it is, by which policies it is kept, and how far it has come.
// Items are matched by group, kind, namespace and name; the version is only that of the last rendering.
import { apiVersionOf, groupOf, type KubeObject, type ObjectRef } from '../../core/object.ts'
import type { AdoptionPolicy, DeletePolicy, ReconcilePolicy, UpdatePolicy } from '../declared/policies.ts'

export type Item = {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** '' for cluster-scoped objects. */
  readonly namespace: string
  readonly name: string
  readonly adoptionPolicy: AdoptionPolicy
  readonly reconcilePolicy: ReconcilePolicy
  readonly updatePolicy: UpdatePolicy
  readonly deletePolicy: DeletePolicy
  readonly applyOrder: number
  readonly deleteOrder: number
  /** What only works while this item exists: the kinds of a CRD or an APIService. */
  readonly managedTypes: readonly ManagedType[]
  /** Of the object as it is to be; '' when it is no longer rendered. */
  readonly digest: string
  /** Of what the API server stored at the last write, at the manifest's paths; '' before. */
  readonly fingerprint: string
  readonly phase: Phase
  readonly status: ItemStatus
  /** When it was last written; '' before. */
  readonly lastAppliedAt: string
}

/** `*` stands for all; a group may also be `*.suffix`. */
export type ManagedType = { readonly group: string; readonly version: string; readonly kind: string }

export const phases = [
  'ScheduledForApplication',
  'Creating',
  'Updating',
  'Ready',
  'ScheduledForCompletion',
  'Completing',
  'Completed',
  'ScheduledForDeletion',
  'Deleting',
] as const
type Phase = (typeof phases)[number]

/** `Unknown`: something is there, and whether it may be ours is still to be asked. '' when Completed. */
const itemStatuses = ['InProgress', 'Current', 'Failed', 'Terminating', 'Unknown', ''] as const
export type ItemStatus = (typeof itemStatuses)[number]

export type ItemKey = string

/** What tells items apart: group, kind, namespace and name. */
export const itemKey = ({
  group,
  kind,
  namespace,
  name,
}: Pick<Item, 'group' | 'kind' | 'namespace' | 'name'>): ItemKey => `${group}/${kind}/${namespace}/${name}`

/** The key of the item that stands for this object. */
export const objectKey = ({ apiVersion, kind, metadata }: KubeObject): ItemKey =>
  itemKey({ group: groupOf(apiVersion), kind, namespace: metadata.namespace ?? '', name: metadata.name })

/** Something of ours has been written to its object. */
export const wasApplied = (item: Item): boolean => item.lastAppliedAt !== ''

/** The item's object. */
export const refOfItem = (item: Pick<Item, 'group' | 'version' | 'kind' | 'namespace' | 'name'>): ObjectRef => ({
  apiVersion: apiVersionOf(item),
  kind: item.kind,
  namespace: item.namespace,
  name: item.name,
})
