// Worlds of garden-reconcile: one Garden, an empty runtime cluster, unless a test says otherwise.

import { gardenImages } from '../../../functions/garden-reconcile/io/images.ts'
import { gardenReconcileSettings } from '../../../functions/garden-reconcile/settings.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import { defaultValues } from '../../../shared/core/settings/setting.ts'
import { garden } from './garden.ts'

/** With the images that come with the programs. */
const settings = { ...defaultValues(gardenReconcileSettings), images: await gardenImages() }

export const gardenWorld = (given: Partial<World> = {}): World => {
  const one = given.garden ?? garden()
  return {
    garden: one,
    gardens: [one],
    settings,
    runtime: new Map(),
    runtimeMinor: 34,
    ...given,
  }
}
