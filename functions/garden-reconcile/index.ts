// garden-reconcile: brings a Garden up, rotates its credentials and takes it down.
import { gardenKind } from '../../shared/api/garden.ts'
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { decide } from './decide.ts'
import { gather } from './gather.ts'
import type { World } from './world.ts'

export const gardenReconcile: ReconcileFunction<World> = {
  does: 'reconcile',
  name: 'garden-reconcile',
  kind: gardenKind,
  gather,
  decide,
}
