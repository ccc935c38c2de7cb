// What a process remembers of the registry of modules, since thousands of Kymas have the same ones: descriptors for a minute, as their tags
// may move; digests for good, as what a digest names never changes.
import { BoundedCache } from '../../core/memory/bounded-cache.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import type { ModuleCatalogue } from '../../kyma/modules/look-up.ts'
import { SharedReads } from '../shared-reads.ts'

export type KeptModules = {
  /** The layer with the descriptor of this component's version, pulled within the last minute. */
  descriptorLayer(key: string): Uint8Array | undefined
  keepDescriptorLayer(key: string, layer: Uint8Array): void
  readonly layerDigests: Pick<BoundedCache<string, readonly string[]>, 'get' | 'set'>
  /** Kept no longer than it is being read. */
  readonly catalogue: SharedReads<ModuleCatalogue>
  /** The definitions that runtimes get, likewise. */
  readonly definitions: SharedReads<readonly KubeObject[]>
}

const keptMilliseconds = 60_000
const keptBytesMost = 4 * 2 ** 20
const digestsMost = 1_000

type Kept = { readonly layer: Uint8Array; readonly until: number }

export const keptModules = (): KeptModules => {
  const layers = new BoundedCache<string, Kept>(keptBytesMost, ({ layer }) => layer.length)
  return {
    descriptorLayer: key => {
      const kept = layers.get(key)
      return kept && kept.until > performance.now() ? kept.layer : undefined
    },
    keepDescriptorLayer: (key, layer) => layers.set(key, { layer, until: performance.now() + keptMilliseconds }),
    layerDigests: new BoundedCache(digestsMost),
    catalogue: new SharedReads(),
    definitions: new SharedReads(),
  }
}
