// Hashes layers of modules piece by piece, since one may unpack to 128 MiB: half a second in which nobody else would be served.
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import { kymaNames } from '../../api/kyma/names.ts'
import type { Reading } from '../../core/decisions/reading.ts'
import { BoundedCache } from '../../core/memory/bounded-cache.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { errorText } from '../../core/text/error-text.ts'
import { isTrouble } from '../../kube/errors.ts'
import type { ModuleCatalogue } from '../../kyma/modules/look-up.ts'
import type { BegunCall } from '../context.ts'
import { LoadingCache, SharedReads } from '../loading-cache.ts'
import { registryCredentials } from './registry-credentials.ts'

const unpackedBytesMost = 128 * 2 ** 20
const pieceBytes = 2 ** 18

type Hashing = {
  /** Node's name of the hash. */
  readonly hash: string
  readonly signal?: AbortSignal
}

/** In hex: of the layer as it is and, if it is packed, of what is in it. Rejects with the reason of the signal. */
export const layerHashes = async (layer: Uint8Array, hashing: Hashing): Promise<readonly string[]> => {
  const own = await hashOf(piecesOf(layer), hashing)
  const unpacked = isGzipped(layer) ? await hashOfUnpacked(layer, hashing) : undefined
  return [own, unpacked].filter(found => found !== undefined)
}

const isGzipped = (layer: Uint8Array): boolean => layer[0] === 0x1f && layer[1] === 0x8b

/** undefined: it cannot be unpacked, or not as far as that. */
const hashOfUnpacked = async (layer: Uint8Array, hashing: Hashing): Promise<string | undefined> => {
  const gunzip = createGunzip({ chunkSize: pieceBytes })
  gunzip.end(layer)
  try {
    return await hashOf(gunzip, hashing)
  } catch (error) {
    hashing.signal?.throwIfAborted()
    // Of zlib, such as Z_DATA_ERROR.
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

/** undefined: it is too much. */
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

// What a process remembers of the registry of modules, since thousands of Kymas have the same ones: descriptors for a minute, as their tags
// may move; digests for good, as what a digest names never changes.

export type KeptModules = {
  /** Layers with the descriptor of a component's version. */
  readonly descriptorLayers: LoadingCache<Uint8Array>
  readonly layerDigests: Pick<BoundedCache<string, readonly string[]>, 'get' | 'set'>
  /** Shared while it is being read. */
  readonly catalogue: SharedReads<ModuleCatalogue>
  /** The definitions that runtimes get, shared likewise. */
  readonly definitions: SharedReads<readonly KubeObject[]>
}

const descriptors = { milliseconds: 60_000, most: 4 * 2 ** 20, sizeOf: (layer: Uint8Array) => layer.length }
const digestsMost = 1_000

export const keptModules = (): KeptModules => ({
  descriptorLayers: new LoadingCache(descriptors),
  layerDigests: new BoundedCache(digestsMost),
  catalogue: new SharedReads(),
  definitions: new SharedReads(),
})

// What calls of functions that install modules can ask the registry, with the credentials of the installation. What it said lately is not
// asked again.

type Artifacts = NonNullable<BegunCall['artifacts']>
type ComponentVersion = Pick<Parameters<Artifacts['componentLayer']>[0], 'registry' | 'component' | 'version'>
type HashedBlob = { readonly repository: string; readonly digest: string; readonly hash: string }

export type RegistryCall = {
  /** The layer with the descriptor of a component's version. Rejects where the local API server is in trouble. */
  componentLayer(asked: ComponentVersion): Promise<Reading<Uint8Array>>
  /** The hash, in hex, of a blob as it lies in the registry and, if it is packed, of what is in it. Rejects likewise, and when the call ends. */
  layerDigests(asked: HashedBlob): Promise<Reading<readonly string[]>>
}

export const registryCall = (call: BegunCall): RegistryCall => {
  const { artifacts, signal, memory } = call
  const asks = { signal, dockerConfig: registryCredentials(kymaNames.namespaces.controlPlane, call) }
  const tried = async (pull: (from: Artifacts) => Promise<Uint8Array>): Promise<Reading<Uint8Array>> => {
    if (!artifacts) return { failed: 'this host pulls no artifacts' }
    try {
      return { read: await pull(artifacts) }
    } catch (error) {
      if (isTrouble(error)) throw error
      return { failed: errorText(error) }
    }
  }
  return {
    componentLayer: async asked => {
      const key = [asked.registry, asked.component, asked.version].join(' ')
      const kept = memory.modules.descriptorLayers.peek(key)
      if (kept) return { read: kept }
      const pulled = await tried(from => from.componentLayer({ ...asked, ...asks }))
      if ('read' in pulled) memory.modules.descriptorLayers.set(key, pulled.read)
      return pulled
    },
    layerDigests: async ({ repository, digest, hash }) => {
      const key = `${digest} ${hash}`
      const kept = memory.modules.layerDigests.get(key)
      if (kept) return { read: kept }
      const pulled = await tried(from => from.blob({ repository, digest, ...asks }))
      if ('failed' in pulled) return pulled
      const digests = await layerHashes(pulled.read, { hash, signal })
      memory.modules.layerDigests.set(key, digests)
      return { read: digests }
    },
  }
}
