// The installation in which Gardens of tests come up.
import { defaultInstallation, type Installation } from '../../../shared/api/installation.ts'
import { gardenImages } from '../../../shared/main/garden-images.ts'

/** `virtualGardenAddress`: where its API server listens on this machine. */
export const gardenInstallation = async (virtualGardenAddress: string): Promise<Installation> => ({
  ...defaultInstallation,
  garden: { ...defaultInstallation.garden, images: await gardenImages(), virtualGardenAddress },
})
