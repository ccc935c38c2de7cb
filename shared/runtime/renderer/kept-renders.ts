// Keeps the artifacts that a renderer has read, up to a number of packed bytes.
import { BoundedCache } from '../../core/memory/bounded-cache.ts'
import type { Render } from '../../render/generator.ts'
import type { Packed } from '../../render/order.ts'
import { packedSize } from './packed-bytes.ts'

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
    set: (key, render, packed) => kept.set(key, { render, bytes: packedSize(packed).bytes }),
  }
}
