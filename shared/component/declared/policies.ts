// Policies of dependents, and their spellings in annotations and in the inventory.

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
