// The settings for Gardens of tests.
import { gardenImages } from '../../../functions/garden-reconcile/io/images.ts'
import type { ProcessContext } from '../../../shared/runtime/context.ts'
import { settingsWith } from '../../make/settings.ts'

/** `virtualGardenAddress`: the address of the virtual garden's API server on this machine. */
export const gardenSettings = async (virtualGardenAddress: string): Promise<ProcessContext['settingsOf']> =>
  settingsWith({ images: await gardenImages(), virtualGardenAddress })
