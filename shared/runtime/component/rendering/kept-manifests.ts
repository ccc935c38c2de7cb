// Caches rendered manifests as text, because calls for a component come in bursts, and most find it unchanged.
import { BoundedCache } from '../../../core/memory/bounded-cache.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import type { TargetCluster } from '../../../render/generator.ts'

export type KeptManifests = {
  /** `digest`: the digest of all inputs except the cluster. */
  of(id: string, digest: string, cluster: TargetCluster | undefined): KubeObject[] | undefined
  /** Replaces older manifests of the id, because a component seldom returns to older inputs. */
  keep(id: string, digest: string, made: Made): void
}

export type Made = {
  readonly manifests: readonly KubeObject[]
  /** The kinds and version of the cluster at the rendering; undefined when the rendering did not use them. */
  readonly cluster: TargetCluster | undefined
}

type Kept = { readonly digest: string; readonly text: string; readonly cluster: TargetCluster | undefined }

export const keptManifests = (charactersMost = 16 * 1024 * 1024): KeptManifests => {
  const kept = new BoundedCache<string, Kept>(charactersMost, ({ text }) => text.length)
  return {
    of: (id, digest, cluster) => {
      const one = kept.get(id)
      if (one?.digest !== digest || (one.cluster && one.cluster !== cluster)) return undefined
      return JSON.parse(one.text)
    },
    keep: (id, digest, { manifests, cluster }) => kept.set(id, { digest, text: JSON.stringify(manifests), cluster }),
  }
}
