// Reads all Gardens, the objects in the runtime cluster, and the objects in the virtual garden that the next moves need.
import { gardenKind, gardenNamespace } from '../../shared/api/garden.ts'
import type { Garden } from '../../shared/core/objects/garden.ts'
import { isDeleting, type KubeObject } from '../../shared/core/objects/object.ts'
import type { Reads } from '../../shared/kube/client-types.ts'
import { serverVersion } from '../../shared/kube/served-kinds.ts'
import type { GatherContext } from '../../shared/runtime/context.ts'
import { leavingDefinitions, runtimeObjects, sharedDefinitions } from './gather/runtime-objects.ts'
import { virtualObjects } from './gather/virtual-garden.ts'
import { isRotating, neededVirtualKinds } from './rules/rotation/rotation-moves.ts'
import type { GardenSettings } from './settings.ts'
import type { World } from './world.ts'

export const gather = async (
  object: KubeObject,
  { reads, clusters, settings }: Pick<GatherContext<GardenSettings>, 'reads' | 'clusters' | 'settings'>,
): Promise<World> => {
  const garden = object as Garden
  const [gardens, runtime, version, leavingPods] = await Promise.all([
    reads.list({ ...gardenKind, metadataOnly: true }),
    runtimeObjects(reads),
    clusters.of('local').then(serverVersion),
    isRotating({ garden }) ? podsInDeletion(reads) : undefined,
  ])
  const read = { garden, gardens, runtime, runtimeMinor: minorOf(version), settings }
  const world = { ...read, ...(leavingPods && { leavingPods }) }
  const leaving = leavingDefinitions(world)
  const [shared, virtual] = await Promise.all([
    leaving.length > 0 ? sharedDefinitions(reads, leaving) : undefined,
    isDeleting(garden) ? undefined : virtualObjects(neededVirtualKinds(world), clusters),
  ])
  return { ...world, ...(shared && { sharedDefinitions: shared }), ...(virtual && { virtual }) }
}

const podsInDeletion = (reads: Reads): Promise<readonly KubeObject[]> =>
  reads.list({
    apiVersion: 'v1',
    kind: 'Pod',
    namespace: gardenNamespace,
    metadataOnly: true,
    keep: pod => (isDeleting(pod) ? pod : undefined),
  })

/** For example, 34 for `v1.34.2`. */
const minorOf = (version: string): number => Number(/^v?\d+\.(\d+)/.exec(version)?.[1] ?? 0)
