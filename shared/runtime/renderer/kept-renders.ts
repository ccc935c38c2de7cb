// Keeps the artifacts that a renderer has read, up to a number of packed bytes.
import { BoundedCache } from '../../core/bounded-cache.ts'
import type { Render } from '../../render/generator.ts'
import type { Packed } from '../../render/order.ts'

export type KeptRenders = {
  get(key: string): Render | undefined
  set(key: string, render: Render, packed: Packed): void
}

type Kept = { readonly render: Render; readonly bytes: number }

/** An artifact of more than `bytesMost` bytes is not kept. */
export const keptRenders = (bytesMost: number): KeptRenders => {
  const kept = new BoundedCache<string, Kept>(bytesMost, ({ bytes }) => bytes)
  return {
    get: key => kept.get(key)?.render,
    set: (key, render, packed) => kept.set(key, { render, bytes: bytesOf(packed) }),
  }
}

const bytesOf = (packed: Packed): number => {
  if ('archive' in packed) return packed.archive.length
  if ('configMap' in packed) return JSON.stringify([packed.configMap.data, packed.configMap.binaryData]).length
  return [...packed.files.values()].reduce((sum, { length }) => sum + length, 0)
}
