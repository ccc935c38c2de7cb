// Hashes layers of modules in pieces. An unpacked layer can have 128 MiB; hashing it at once would block the process for half a second.
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'

const unpackedBytesMost = 128 * 2 ** 20
const pieceBytes = 2 ** 18

type Hashing = {
  readonly hash: string
  readonly signal?: AbortSignal
}

/** Hex digests of the layer and, if it is gzipped, of its content. Rejects with the signal's reason. */
export const layerHashes = async (layer: Uint8Array, hashing: Hashing): Promise<readonly string[]> => {
  const own = await hashOf(piecesOf(layer), hashing)
  const unpacked = isGzipped(layer) ? await hashOfUnpacked(layer, hashing) : undefined
  return [own, unpacked].filter(found => found !== undefined)
}

const isGzipped = (layer: Uint8Array): boolean => layer[0] === 0x1f && layer[1] === 0x8b

/** undefined when the layer cannot be unpacked or is too large. */
const hashOfUnpacked = async (layer: Uint8Array, hashing: Hashing): Promise<string | undefined> => {
  const gunzip = createGunzip({ chunkSize: pieceBytes })
  gunzip.end(layer)
  try {
    return await hashOf(gunzip, hashing)
  } catch (error) {
    hashing.signal?.throwIfAborted()
    // Errors of zlib have a code, such as Z_DATA_ERROR.
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

/** undefined when the content is too large. */
const hashOf = async (
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { hash, signal }: Hashing,
): Promise<string | undefined> => {
  const sum = createHash(hash)
  let bytes = 0
  for await (const piece of pieces) {
    signal?.throwIfAborted()
    bytes += piece.length
    if (bytes > unpackedBytesMost) return undefined
    sum.update(piece)
    await setImmediate()
  }
  return sum.digest('hex')
}

function* piecesOf(layer: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (let at = 0; at < layer.length; at += pieceBytes) yield layer.subarray(at, at + pieceBytes)
}
