// What was rendered lately, kept as text: calls come in bursts, and mostly find that what is declared is as it was. What is
// kept was made in this very process from the same things, so whoever loses it renders the same again.

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
  const kept = new Map<string, Kept>()
  let characters = 0
  const forget = (key: string): Kept | undefined => {
    const one = kept.get(key)
    if (one && kept.delete(key)) characters -= one.text.length
    return one
  }
  const put = (key: string, one: Kept): void => {
    kept.set(key, one)
    characters += one.text.length
  }
  return {
    of: (key, cluster) => {
      const one = forget(key)
      if (!one || (one.cluster && one.cluster !== cluster)) return undefined
      put(key, one)
      return JSON.parse(one.text) as KubeObject[]
    },
    keep: (key, { manifests, cluster }) => {
      forget(key)
      put(key, { text: JSON.stringify(manifests), cluster })
      for (const oldest of kept.keys()) if (characters > charactersMost) forget(oldest)
    },
  }
}
