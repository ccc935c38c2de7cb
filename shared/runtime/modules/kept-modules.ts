// What a process remembers of the registry of modules, since thousands of Kymas have the same ones: descriptors for a minute, as their tags
// may move; digests for good, as what a digest names never changes.
import { BoundedCache } from '../../core/memory/bounded-cache.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import type { ModuleCatalogue } from '../../kyma/modules/look-up.ts'
import { LoadingCache, SharedReads } from '../loading-cache.ts'

export type KeptModules = {
  /** Layers with the descriptor of a component's version. */
  readonly descriptorLayers: LoadingCache<Uint8Array>
  readonly layerDigests: Pick<BoundedCache<string, readonly string[]>, 'get' | 'set'>
  /** Shared while it is being read. */
  readonly catalogue: SharedReads<ModuleCatalogue>
  /** The definitions that runtimes get, shared likewise. */
  readonly definitions: SharedReads<readonly KubeObject[]>
}

const descriptors = { milliseconds: 60_000, most: 4 * 2 ** 20, sizeOf: (layer: Uint8Array) => layer.length }
const digestsMost = 1_000

export const keptModules = (): KeptModules => ({
  descriptorLayers: new LoadingCache(descriptors),
  layerDigests: new BoundedCache(digestsMost),
  catalogue: new SharedReads(),
  definitions: new SharedReads(),
})
