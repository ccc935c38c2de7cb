// garden-network-policy: keeps Pods of a Garden's namespaces from talking to anything they need not. Called for namespace
// default, which is always there, because policies must also go when there is no Garden any more.
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { decide } from './decide.ts'
import { gather } from './gather.ts'
import type { World } from './world.ts'

export const gardenNetworkPolicy: ReconcileFunction<World> = {
  does: 'reconcile',
  name: 'garden-network-policy',
  kind: { apiVersion: 'v1', kind: 'Namespace' },
  gather,
  decide,
}
