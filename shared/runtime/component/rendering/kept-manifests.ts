// What was rendered lately, kept as text: calls come in bursts, and mostly find that what is declared is as it was. What is
// kept was made in this very process from the same things, so whoever loses it renders the same again.
import { BoundedCache } from '../../../core/bounded-cache.ts'
import type { KubeObject } from '../../../core/object.ts'
import type { TargetCluster } from '../../../render/generator.ts'

export type KeptManifests = {
  /** `key`: all that they were made of, but the cluster. */
  of(key: string, cluster: TargetCluster | undefined): KubeObject[] | undefined
  keep(key: string, made: Made): void
}

export type Made = {
  readonly manifests: readonly KubeObject[]
  /** What was known of the cluster when they were made, if anybody asked. */
  readonly cluster: TargetCluster | undefined
}

type Kept = { readonly text: string; readonly cluster: TargetCluster | undefined }

/** The least recently used go first. */
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
