// Layers kept in memory, bounded in bytes, so that a ready component does not pull its chart at every look.
import { BoundedCache } from '../../core/bounded-cache.ts'
import type { Pulled, PulledLayers } from './pull.ts'

export const pulledLayers = (bytesMost: number): PulledLayers =>
  new BoundedCache<string, Pulled>(bytesMost, ({ content }) => content.length)
