// What a renderer keeps of the artifacts it has read: bounded by the bytes they were read from, the one that was longest not asked
// for goes first. An artifact that is larger than all of it is not kept.
import type { Render } from '../../render/generator.ts'
import type { Packed } from '../../render/order.ts'

export type KeptRenders = {
  get(key: string): Render | undefined
  set(key: string, render: Render, packed: Packed): void
}

type Kept = { readonly render: Render; readonly bytes: number }

export const keptRenders = (bytesMost: number): KeptRenders => {
  const kept = new Map<string, Kept>()
  let bytes = 0
  const forget = (key: string): Kept | undefined => {
    const one = kept.get(key)
    if (one && kept.delete(key)) bytes -= one.bytes
    return one
  }
  const keep = (key: string, one: Kept): void => {
    kept.set(key, one)
    bytes += one.bytes
    for (const oldest of kept.keys()) if (bytes > bytesMost) forget(oldest)
  }
  return {
    get: key => {
      const one = forget(key)
      if (one) keep(key, one)
      return one?.render
    },
    set: (key, render, packed) => keep(key, { render, bytes: bytesOf(packed) }),
  }
}

const bytesOf = (packed: Packed): number => {
  if ('archive' in packed) return packed.archive.length
  if ('configMap' in packed) return JSON.stringify([packed.configMap.data, packed.configMap.binaryData]).length
  return [...packed.files.values()].reduce((sum, { length }) => sum + length, 0)
}
