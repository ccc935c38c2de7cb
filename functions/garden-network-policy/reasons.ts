// Reasons and messages of garden-network-policy. Reasons are API: alerts and runbooks name them.
import type { EventNote } from '../../shared/core/decisions/plan.ts'
import { type KubeObject, keyOf, keyText, refOf, refText } from '../../shared/core/objects/object.ts'
import { ownerLabel } from './world.ts'

/** A policy that is not ours has the name of a policy that the namespace needs. */
export const networkPolicyConflict = (policy: KubeObject, namespace: KubeObject): EventNote => ({
  type: 'Warning',
  reason: 'NetworkPolicyConflict',
  message: `${refText(refOf(policy))} differs from the expected NetworkPolicy and lacks the label ${ownerLabel}, so Espalier does not change it`,
  regarding: namespace,
})

/** Only the owners of these policies know whether the policies are needed. */
export const conflicts = (policies: readonly KubeObject[]): string =>
  `NetworkPolicyConflict: ${policies.map(policy => keyText(keyOf(policy))).join(', ')}`

/** Several Gardens exist, and it is unknown for which Garden the policies are. */
export const moreThanOneGarden = (gardens: readonly KubeObject[]): string =>
  `MoreThanOneGarden: ${gardens.map(({ metadata }) => metadata.name).join(', ')}`

/** The Garden has invalid networks, so no policy can be computed. */
export const invalidNetworks = (fields: readonly string[]): string => `InvalidNetworks: ${fields.join(', ')}`

/** The call waits for the Clusters with the networks of these shoots. */
export const clustersMissing = (names: readonly string[]): string =>
  names.map(name => `Cluster ${name} with the networks of its shoot`).join(', ')
