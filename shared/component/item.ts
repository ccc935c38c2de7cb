// One inventory item: a dependent with its policies and progress. Items are matched by group, kind, namespace and name. `version` comes
// from the last rendering.
import { isMap, type JsonMap } from '../core/json/json.ts'
import { apiVersionOf, groupOf, type KubeObject, type ObjectRef } from '../core/objects/object.ts'

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
  /** Fingerprint of the answer to the last write (observed/drift.ts); '' before the first write. */
  readonly fingerprint: string
  readonly phase: Phase
  readonly status: ItemStatus
  /** Time of the last write; '' before the first write. */
  readonly lastAppliedAt: string
}

/** `*` means any; a group may also be `*.suffix`. */
export type ManagedType = { readonly group: string; readonly version: string; readonly kind: string }

type Phase =
  | 'ScheduledForApplication'
  | 'Creating'
  | 'Updating'
  | 'Ready'
  | 'ScheduledForCompletion'
  | 'Completing'
  | 'Completed'
  | 'ScheduledForDeletion'
  | 'Deleting'

/** `Unknown`: an object exists, and we must read its owner before we write. '': the item is Completed. */
export type ItemStatus = 'InProgress' | 'Current' | 'Failed' | 'Terminating' | 'Unknown' | ''

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

export const adoptionPolicies = ['Never', 'IfUnowned', 'Always'] as const
export const reconcilePolicies = ['OnObjectChange', 'OnObjectOrComponentChange', 'Once'] as const
export const updatePolicies = ['Replace', 'SsaMerge', 'SsaOverride', 'Recreate'] as const
export const deletePolicies = ['Delete', 'Orphan', 'OrphanOnApply', 'OrphanOnDelete'] as const

export type AdoptionPolicy = (typeof adoptionPolicies)[number]
export type ReconcilePolicy = (typeof reconcilePolicies)[number]
export type UpdatePolicy = (typeof updatePolicies)[number]
export type DeletePolicy = (typeof deletePolicies)[number]

/** Policies that the inventory stores, because they still apply when the manifest is gone. */
export type KeptPolicies = {
  readonly adoptionPolicy: AdoptionPolicy
  readonly reconcilePolicy: ReconcilePolicy
  readonly updatePolicy: UpdatePolicy
  readonly deletePolicy: DeletePolicy
  readonly applyOrder: number
  readonly deleteOrder: number
}

export const keptPolicies = ({
  adoptionPolicy,
  reconcilePolicy,
  updatePolicy,
  deletePolicy,
  applyOrder,
  deleteOrder,
}: KeptPolicies): KeptPolicies => ({
  adoptionPolicy,
  reconcilePolicy,
  updatePolicy,
  deletePolicy,
  applyOrder,
  deleteOrder,
})

/** Accepts CamelCase and kebab-case; undefined for unknown policies. */
export const policyNamed = <Policy extends string>(policies: readonly Policy[], text: string): Policy | undefined =>
  policies.find(policy => policy === text || kebabCase(policy) === text)

/** `OrphanOnApply` → `orphan-on-apply`. */
export const kebabCase = (policy: string): string => policy.replace(/(?<=.)([A-Z])/g, '-$1').toLowerCase()

const orphanedAt: Record<DeletePolicy, readonly ('apply' | 'delete')[]> = {
  Delete: [],
  Orphan: ['apply', 'delete'],
  OrphanOnApply: ['apply'],
  OrphanOnDelete: ['delete'],
}

/** `apply`: the object is no longer rendered. `delete`: the component is being deleted. */
export const isOrphaned = (policy: DeletePolicy, goal: 'apply' | 'delete'): boolean => orphanedAt[policy].includes(goal)

/** Example: an object with `orphan-on-apply` is no longer rendered, and then the component is deleted. The object stays. */
export const isLeftBehind = ({ deletePolicy, digest }: Item, goal: 'apply' | 'delete'): boolean =>
  isOrphaned(deletePolicy, goal) || (digest === '' && isOrphaned(deletePolicy, 'apply'))
