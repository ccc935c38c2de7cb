// Layers kept in memory, so that a ready component does not pull its chart at every look: bounded in bytes, the one that was
// longest not asked for goes first.
import type { Pulled, PulledLayers } from './pull.ts'

export const pulledLayers = (bytesMost: number): PulledLayers => {
  const kept = new Map<string, Pulled>()
  const bytes = (): number => [...kept.values()].reduce((sum, { content }) => sum + content.length, 0)
  return {
    get: key => kept.get(key),
    set: (key, pulled) => {
      kept.delete(key)
      kept.set(key, pulled)
      for (const [oldest] of kept) {
        if (bytes() <= bytesMost) return
        kept.delete(oldest)
      }
    },
  }
}
