// Keeps pulled layers in memory, up to a number of bytes, so that a Component does not pull its unchanged chart at every call.
import { BoundedCache } from '../../core/memory/bounded-cache.ts'
import type { Pulled, PulledLayers } from './pull.ts'

export const pulledLayers = (bytesMost: number): PulledLayers =>
  new BoundedCache<string, Pulled>(bytesMost, ({ content }) => content.length)
