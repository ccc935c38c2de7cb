// Caches rendered manifests as text, because calls for a component come in bursts, and most find it unchanged.
import { BoundedCache } from '../../../core/memory/bounded-cache.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import type { TargetCluster } from '../../../render/generator.ts'

export type KeptManifests = {
  /** `key`: a digest of all inputs except the cluster. */
  of(key: string, cluster: TargetCluster | undefined): KubeObject[] | undefined
  keep(key: string, made: Made): void
}

export type Made = {
  readonly manifests: readonly KubeObject[]
  /** What the cluster served at the rendering; undefined when the rendering did not ask. */
  readonly cluster: TargetCluster | undefined
}

type Kept = { readonly text: string; readonly cluster: TargetCluster | undefined }

export const keptManifests = (charactersMost = 16 * 1024 * 1024): KeptManifests => {
  const kept = new BoundedCache<string, Kept>(charactersMost, ({ text }) => text.length)
  return {
    of: (key, cluster) => {
      const one = kept.get(key)
      return one && (!one.cluster || one.cluster === cluster) ? (JSON.parse(one.text) as KubeObject[]) : undefined
    },
    keep: (key, { manifests, cluster }) => kept.set(key, { text: JSON.stringify(manifests), cluster }),
  }
}
