// The policies of a dependent: their values, and how annotations and the inventory spell them. What they do is in
// observed/adoption.ts, declared/digests.ts, applied/dependent-action.ts and removed/orphans.ts.

export const adoptionPolicies = ['Never', 'IfUnowned', 'Always'] as const
export const reconcilePolicies = ['OnObjectChange', 'OnObjectOrComponentChange', 'Once'] as const
export const updatePolicies = ['Replace', 'SsaMerge', 'SsaOverride', 'Recreate'] as const
export const deletePolicies = ['Delete', 'Orphan', 'OrphanOnApply', 'OrphanOnDelete'] as const

export type AdoptionPolicy = (typeof adoptionPolicies)[number]
export type ReconcilePolicy = (typeof reconcilePolicies)[number]
export type UpdatePolicy = (typeof updatePolicies)[number]
export type DeletePolicy = (typeof deletePolicies)[number]

/** Those that the inventory holds, too: they count when the manifest is gone. */
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

/** The policy as it is stored, from its CamelCase or kebab-case spelling; undefined when it is none of these. */
export const policyNamed = <Policy extends string>(policies: readonly Policy[], text: string): Policy | undefined =>
  policies.find(policy => policy === text || kebabCase(policy) === text)

/** `OrphanOnApply` as `orphan-on-apply`. */
export const kebabCase = (policy: string): string => policy.replace(/(?<=.)([A-Z])/g, '-$1').toLowerCase()
