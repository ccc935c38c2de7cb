// garden-network-policy: maintains network policies in a Garden's namespaces, so that Pods reach only needed targets. It is called for
// namespace default, which always exists, because policies must also be deleted when no Garden exists any more.
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { decide } from './decide.ts'
import { gather } from './gather.ts'
import { type GardenNetworkPolicySettings, gardenNetworkPolicySettings } from './settings.ts'
import type { World } from './world.ts'

export const gardenNetworkPolicy: ReconcileFunction<World, GardenNetworkPolicySettings> = {
  does: 'reconcile',
  name: 'garden-network-policy',
  kind: { apiVersion: 'v1', kind: 'Namespace' },
  settings: gardenNetworkPolicySettings,
  gather,
  decide,
}
