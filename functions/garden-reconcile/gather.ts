// Reads for garden-reconcile.
import { gardenKind } from '../../shared/api/garden.ts'
import type { Garden } from '../../shared/core/garden.ts'
import type { KubeObject } from '../../shared/core/object.ts'
import type { GatherContext } from '../../shared/runtime/context.ts'
import type { World } from './world.ts'

export const gather = async (
  object: KubeObject,
  { reads, installation }: Pick<GatherContext, 'reads' | 'installation'>,
): Promise<World> => {
  const gardens = await reads.list({ ...gardenKind, metadataOnly: true })
  const settings = installation.garden
  return { garden: object as Garden, gardens, settings, runtime: new Map(), runtimeMinor: 0 }
}
