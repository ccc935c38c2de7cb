// One inventory item: a dependent with its policies and progress. Items are matched by group, kind, namespace and name. `version` comes
// from the last rendering.

import { isMap, type JsonMap } from '../../core/json/json.ts'
import { apiVersionOf, groupOf, type KubeObject, type ObjectRef } from '../../core/objects/object.ts'
import type { KeptPolicies } from '../declared/policies.ts'

export type Item = KeptPolicies & {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** Types that a CRD or APIService defines; empty for other kinds. */
  readonly managedTypes: readonly ManagedType[]
  /** Digest of the manifest; '' when the object is no longer rendered. */
  readonly digest: string
  /** Fingerprint of the answer to the last write (observed/fingerprint.ts); '' before the first write. */
  readonly fingerprint: string
  readonly phase: Phase
  readonly status: ItemStatus
  /** Time of the last write; '' before the first write. */
  readonly lastAppliedAt: string
}

/** `*` means any; a group may also be `*.suffix`. */
export type ManagedType = { readonly group: string; readonly version: string; readonly kind: string }

const phases = [
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

/** `Unknown`: an object exists, and we must read its owner before we write. '': the item is Completed. */
const itemStatuses = ['InProgress', 'Current', 'Failed', 'Terminating', 'Unknown', ''] as const
export type ItemStatus = (typeof itemStatuses)[number]

export type ItemKey = string

export const itemKey = ({
  group,
  kind,
  namespace,
  name,
}: Pick<Item, 'group' | 'kind' | 'namespace' | 'name'>): ItemKey => `${group}/${kind}/${namespace}/${name}`

export const objectKey = ({ apiVersion, kind, metadata }: KubeObject): ItemKey =>
  itemKey({ group: groupOf(apiVersion), kind, namespace: metadata.namespace ?? '', name: metadata.name })

/** A Completed object is neither read nor created again until its manifest changes. */
export const completedItem = (item: Item): Item => ({ ...item, phase: 'Completed', status: '', fingerprint: '' })

export const wasApplied = (item: Item): boolean => item.lastAppliedAt !== ''

export const refOfItem = (item: Pick<Item, 'group' | 'version' | 'kind' | 'namespace' | 'name'>): ObjectRef => ({
  apiVersion: apiVersionOf(item),
  kind: item.kind,
  namespace: item.namespace,
  name: item.name,
})

// Converts status.inventory. Default values are not stored, because a thousand items must fit into one object.
/** Defaults of fields that a stored item may omit. Other fields are always stored. */
const defaults: Omit<Item, 'version' | 'kind' | 'name' | 'phase'> = {
  group: '',
  namespace: '',
  adoptionPolicy: 'IfUnowned',
  reconcilePolicy: 'OnObjectChange',
  updatePolicy: 'Replace',
  deletePolicy: 'Delete',
  applyOrder: 0,
  deleteOrder: 0,
  managedTypes: [],
  digest: '',
  fingerprint: '',
  status: '',
  lastAppliedAt: '',
}

export const itemsOf = (stored: unknown): Item[] =>
  Array.isArray(stored) ? stored.filter(isMap).map(entry => ({ ...defaults, ...(entry as Partial<Item>) }) as Item) : []

/** `nonDefault` stores only non-default values. `all` stores all fields, because CRDs of component-operator-runtime require them. */
export type InventoryFields = 'nonDefault' | 'all'

const required: readonly string[] = [
  'group',
  'adoptionPolicy',
  'reconcilePolicy',
  'updatePolicy',
  'deletePolicy',
  'applyOrder',
  'deleteOrder',
  'digest',
]

export const storedItems = (items: readonly Item[], fields: InventoryFields = 'nonDefault'): JsonMap[] =>
  items.map(item => Object.fromEntries(Object.entries(item).filter(entry => isStored(entry, fields))))

const isStored = ([field, value]: [string, unknown], fields: InventoryFields): boolean => {
  if (fields === 'all' && required.includes(field)) return true
  return Array.isArray(value) ? value.length > 0 : (defaults as JsonMap)[field] !== value
}
