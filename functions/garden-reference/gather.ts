// Reads metadata only, because no content of Secrets is needed. Reads for decisions are consistent; the read for `keys` may be cached.
import {
  type GardenReferenceKind,
  gardenReferences,
  isReferredTo,
  type Reference,
} from '../../shared/api/garden/references.ts'
import { gardenKind, gardenNamespace } from '../../shared/api/garden.ts'
import type { Garden } from '../../shared/core/objects/garden.ts'
import { type Key, type KubeObject, keyOf } from '../../shared/core/objects/object.ts'
import type { Reads } from '../../shared/kube/client-types.ts'
import { isProtected, type World } from './world.ts'

export const gather = async (object: KubeObject, { reads }: { reads: Reads }): Promise<World> => {
  const garden = object as Garden
  const references = gardenReferences(garden)
  const [secrets, configMaps] = await Promise.all([
    listConcerned('Secret', references, reads),
    listConcerned('ConfigMap', references, reads),
  ])
  // Gardens are read after the objects, so that a reference added in between keeps its object protected.
  const gardens = (await reads.list(gardenKind)) as Garden[]
  return { garden, gardens, objects: [...secrets, ...configMaps] }
}

const listConcerned = (kind: GardenReferenceKind, references: readonly Reference[], reads: Reads) =>
  reads.list({
    apiVersion: 'v1',
    kind,
    namespace: gardenNamespace,
    metadataOnly: true,
    keep: object => (isProtected(object) || isReferredTo(object, references) ? object : undefined),
  })

/** The Gardens that refer to the object. For a protected object all Gardens, because any Garden may have to release it. */
export const keys = async (object: KubeObject, { reads }: { reads: Reads }): Promise<Key[]> => {
  const gardens = (await reads.list({ ...gardenKind, fromCache: true })) as Garden[]
  return gardens.filter(garden => isProtected(object) || isReferredTo(object, gardenReferences(garden))).map(keyOf)
}
