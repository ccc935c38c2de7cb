// Worlds of garden-reconcile: one Garden, an empty runtime cluster, unless a test says otherwise.
import type { World } from '../../../functions/garden-reconcile/world.ts'
import { defaultInstallation } from '../../../shared/api/installation.ts'
import { gardenImages } from '../../../shared/main/garden-images.ts'
import { garden } from './garden.ts'

/** With the images that come with the programs. */
const settings = { ...defaultInstallation.garden, images: await gardenImages() }

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
