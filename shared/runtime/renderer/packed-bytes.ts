// Computes the memory of packed artifacts.
import type { KubeObject } from '../../core/objects/object.ts'
import type { Packed } from '../../render/order.ts'

/** `memory`: identity of the memory, equal for artifacts that share it. */
export type PackedSize = { readonly bytes: number; readonly memory: object }

export const packedSize = (packed: Packed): PackedSize => {
  if ('archive' in packed) return { bytes: packed.archive.length, memory: packed.archive }
  if ('configMap' in packed) return { bytes: contentLength(packed.configMap), memory: packed.configMap }
  return { bytes: [...packed.files.values()].reduce((sum, { length }) => sum + length, 0), memory: packed.files }
}

const contentLength = ({ data, binaryData }: KubeObject): number => JSON.stringify([data, binaryData]).length

/** The sum of all sizes. Shared bytes count once. */
export const bytesTogether = (sizes: readonly PackedSize[]): number =>
  [...new Map(sizes.map(({ memory, bytes }) => [memory, bytes])).values()].reduce((sum, bytes) => sum + bytes, 0)
