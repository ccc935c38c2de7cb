// garden-reference: protects the Secrets and ConfigMaps to which a Garden refers from deletion.
import { gardenKind } from '../../shared/api/garden.ts'
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { decide } from './decide.ts'
import { gather, keys } from './gather.ts'
import type { World } from './world.ts'

export const gardenReference: ReconcileFunction<World> = {
  does: 'reconcile',
  name: 'garden-reference',
  kind: gardenKind,
  gather,
  decide,
  keys,
}
