// garden-care: reports a Garden's health in four conditions of its status.
import { gardenKind } from '../../shared/api/garden.ts'
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { decide } from './decide.ts'
import { gather, seenGardens } from './gather.ts'
import { type GardenCareSettings, gardenCareSettings } from './settings.ts'
import type { World } from './world.ts'

export const gardenCare: ReconcileFunction<World, GardenCareSettings> = {
  does: 'reconcile',
  name: 'garden-care',
  kind: gardenKind,
  settings: gardenCareSettings,
  seen: seenGardens,
  gather,
  decide,
}
