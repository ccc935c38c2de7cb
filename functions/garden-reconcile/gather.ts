// Reads for garden-reconcile: all Gardens, and what gather/runtime-objects.ts reads in the runtime cluster.
import { gardenKind } from '../../shared/api/garden.ts'
import type { Garden } from '../../shared/core/garden.ts'
import type { KubeObject } from '../../shared/core/object.ts'
import { serverVersion } from '../../shared/kube/discovery/served-kinds.ts'
import type { GatherContext } from '../../shared/runtime/context.ts'
import { runtimeObjects } from './gather/runtime-objects.ts'
import { leavingDefinitions, sharedDefinitions } from './gather/shared-definitions.ts'
import { virtualObjects } from './gather/virtual-garden.ts'
import type { World } from './world.ts'

export const gather = async (
  object: KubeObject,
  { reads, clusters, installation }: Pick<GatherContext, 'reads' | 'clusters' | 'installation'>,
): Promise<World> => {
  const garden = object as Garden
  const [gardens, runtime, version, virtual] = await Promise.all([
    reads.list({ ...gardenKind, metadataOnly: true }),
    runtimeObjects(reads),
    clusters.of('local').then(serverVersion),
    virtualObjects(garden, clusters),
  ])
  const world = { garden, gardens, runtime, runtimeMinor: minorOf(version), settings: installation.garden, virtual }
  const leaving = leavingDefinitions(world)
  return leaving.length > 0 ? { ...world, sharedDefinitions: await sharedDefinitions(reads, leaving) } : world
}

/** 34 for `v1.34.2`. */
const minorOf = (version: string): number => Number(/^v?\d+\.(\d+)/.exec(version)?.[1] ?? 0)
