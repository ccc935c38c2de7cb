// The installation for Gardens of tests.
import { defaultInstallation, type Installation } from '../../../shared/api/installation.ts'
import { gardenImages } from '../../../shared/main/garden-images.ts'

/** `virtualGardenAddress`: the address of the virtual garden's API server on this machine. */
export const gardenInstallation = async (virtualGardenAddress: string): Promise<Installation> => ({
  ...defaultInstallation,
  garden: { ...defaultInstallation.garden, images: await gardenImages(), virtualGardenAddress },
})
