// garden-network-policy: keeps network policies in a Garden's namespaces, so that Pods reach only what they need. It is
// called for namespace default, which always exists, since policies must be deleted too when there is no Garden any more.
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
