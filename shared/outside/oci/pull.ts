// Pulls an artifact (tag → digest → manifest → layer) or one blob by digest. All content is checked against its digest before use. Blobs are cached
// in a folder, which need not be trusted: if the folder is missing, full or read-only, blobs are pulled again.
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256Hex } from '../../core/digest.ts'
import { ArtifactError } from '../artifact-error.ts'
import type { RegistryRules } from './hosts.ts'
import { type ArtifactKind, acceptedTypes, documentIn, isDigest, layerOf, type OciManifest } from './manifest.ts'
import { credentialsFor, type OciReference, type Repository, repositoryOf, withName } from './reference.ts'
import { type RegistrySession, registrySession } from './session.ts'

export type Pull = {
  readonly reference: OciReference
  readonly kind: ArtifactKind
  readonly dockerConfig?: string
  readonly signal?: AbortSignal
}

/** Cacheable, because the content of a digest never changes. */
export type Pulled = {
  /** The digest of the referenced manifest or index. */
  readonly digest: string
  /** The version in the manifest's annotations, or the tag. */
  readonly version: string
  readonly content: Uint8Array
}

type PullParts = {
  readonly rules: RegistryRules
  readonly plain: readonly string[]
  readonly remembered: PulledLayers
}

export type PulledLayers = {
  get(key: string): Pulled | undefined
  set(key: string, pulled: Pulled): void
}

const pullSeconds = 30
const manifestBytesMost = 4 * 2 ** 20
const layerBytesMost = 16 * 2 ** 20

/** Throws ArtifactError. Always asks the registry whether the credentials may pull the artifact; only bytes are cached. */
export const pull = (asked: Pull, parts: PullParts): Promise<Pulled> =>
  withName(asked.reference, () => pulled(asked, parts))

const pulled = async ({ reference, kind, dockerConfig, signal }: Pull, parts: PullParts): Promise<Pulled> => {
  const repository = repositoryOf(reference.repository, parts.plain)
  if (!repository) throw new ArtifactError('refused', 'expected registry/repository')
  const credentials = credentialsFor(repository, dockerConfig)
  const signals = [AbortSignal.timeout(pullSeconds * 1000), ...(signal ? [signal] : [])]
  const registry = registrySession({ repository, credentials, rules: parts.rules, signal: AbortSignal.any(signals) })
  const digest = await digestOf(reference, registry)
  // The key contains the repository, because access in one repository does not mean access in another.
  const key = [kind, repository.origin, repository.name, digest].join(' ')
  const found = parts.remembered.get(key) ?? (await fetched(digest, kind, registry))
  parts.remembered.set(key, found)
  return { ...found, version: found.version || (reference.tag ?? '') }
}

/** The current digest of the reference. Even a given digest is requested from the registry, because the registry may deny access. */
const digestOf = async ({ tag, digest }: OciReference, registry: RegistrySession): Promise<string> => {
  const path = `manifests/${digest ?? tag}`
  const ask = { path, accept: acceptedTypes, bytesMost: manifestBytesMost }
  const head = await registry.ask({ ...ask, method: 'HEAD' })
  if (digest !== undefined) return digest
  if (isDigest(head.digest)) return head.digest
  return sha256((await registry.ask({ ...ask, method: 'GET' })).body)
}

const fetched = async (digest: string, kind: ArtifactKind, registry: RegistrySession): Promise<Pulled> => {
  const manifest = await pulledManifest(digest, registry)
  const layer = layerOf(manifest, kind)
  if (layer.size > layerBytesMost)
    throw new ArtifactError('tooLarge', `its layer is larger than ${layerBytesMost} bytes`)
  const path = `blobs/${layer.digest}`
  const { body } = await registry.ask({ method: 'GET', path, bytesMost: layer.size })
  return { digest, version: manifest.version ?? '', content: proved(body, layer.digest) }
}

/** The manifest, or the first manifest of an index. All of them fit, because charts and folders do not depend on a platform. */
const pulledManifest = async (digest: string, registry: RegistrySession): Promise<OciManifest> => {
  const document = await documentAt(digest, registry)
  if (document.is === 'manifest') return document.manifest
  const [first] = document.manifests
  const inner = first && (await documentAt(first.digest, registry))
  if (inner?.is === 'manifest') return inner.manifest
  throw new ArtifactError('mediaType', first ? 'its index refers to another index' : 'its index has no manifest')
}

const documentAt = async (digest: string, registry: RegistrySession): Promise<ReturnType<typeof documentIn>> => {
  const path = `manifests/${digest}`
  const { body } = await registry.ask({ method: 'GET', path, accept: acceptedTypes, bytesMost: manifestBytesMost })
  return documentIn(proved(body, digest))
}

export type Blob = {
  /** For example `registry.example.com/modules/one`. A prefix `http://` or `https://` determines the protocol. */
  readonly repository: string
  readonly digest: string
  /** The text of a dockerconfigjson Secret. If this is a function, it is called only before a request to the registry. */
  readonly dockerConfig?: string | (() => Promise<string | undefined>)
  readonly signal?: AbortSignal
}

export type BlobParts = {
  readonly rules: RegistryRules
  readonly plain: readonly string[]
  readonly onDisk: BlobsOnDisk
}

const blobBytesMost = 32 * 2 ** 20

/** Throws ArtifactError; the message contains the blob. */
export const blob = (asked: Blob, parts: BlobParts): Promise<Uint8Array> =>
  withName({ repository: asked.repository, digest: asked.digest }, async () => {
    const { digest } = asked
    if (!isDigest(digest)) throw new ArtifactError('refused', 'expected a sha256 digest')
    const kept = await parts.onDisk.get(digest)
    if (kept && isProved(kept, digest)) return kept
    const pulled = proved(await fetchedBlob(asked, parts), digest)
    await parts.onDisk.set(digest, pulled)
    return pulled
  })

const fetchedBlob = async (asked: Blob, parts: BlobParts): Promise<Uint8Array> => {
  const registry = await sessionFor(asked, parts)
  return (await registry.ask({ method: 'GET', path: `blobs/${asked.digest}`, bytesMost: blobBytesMost })).body
}

/** A session for one pull, with a time limit. */
export const sessionFor = async (
  asked: Omit<Blob, 'digest'>,
  { rules, plain }: BlobParts,
): Promise<RegistrySession> => {
  const repository = repositoryFor(asked.repository, plain)
  const credentials = credentialsFor(repository, await dockerConfigText(asked.dockerConfig))
  const ends = [AbortSignal.timeout(pullSeconds * 1000), ...(asked.signal ? [asked.signal] : [])]
  return registrySession({ repository, credentials, rules, signal: AbortSignal.any(ends) })
}

const dockerConfigText = async (dockerConfig: Blob['dockerConfig']): Promise<string | undefined> =>
  typeof dockerConfig === 'function' ? dockerConfig() : dockerConfig

/** Throws an ArtifactError for an invalid repository or a forbidden protocol. */
const repositoryFor = (text: string, plain: readonly string[]): Repository => {
  const [, scheme, rest = ''] = /^(https?:\/\/)?(.*)$/s.exec(text) ?? []
  const [host = ''] = rest.split('/', 1)
  if (scheme === 'http://' && !plain.includes(host))
    throw new ArtifactError('refused', `${host} must not be used without TLS`)
  const repository = repositoryOf(rest, scheme === 'https://' ? [] : plain)
  if (!repository) throw new ArtifactError('refused', 'expected registry/repository')
  return repository
}

export const sha256 = (body: Uint8Array): string => `sha256:${sha256Hex(body)}`

const isProved = (body: Uint8Array, digest: string): boolean => sha256(body) === digest

/** Returns the body. Throws an ArtifactError if the body has another digest. */
const proved = (body: Uint8Array, digest: string): Uint8Array => {
  if (!isProved(body, digest))
    throw new ArtifactError('digest', `the content received for ${digest} has another digest`)
  return body
}

type BlobsOnDisk = {
  get(digest: string): Promise<Uint8Array | undefined>
  set(digest: string, blob: Uint8Array): Promise<void>
}

const diskBytesMost = 256 * 2 ** 20

/** Drops the oldest blobs first. Several processes may share the folder. */
export const blobsOnDisk = (folder: string): BlobsOnDisk => {
  const pathOf = (digest: string) => join(folder, digest.replace(':', '-'))
  return {
    get: digest => readFile(pathOf(digest)).catch(nothing),
    set: async (digest, blob) => {
      const written = join(folder, `${randomUUID()}.part`)
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await makeRoom(folder, diskBytesMost - blob.length)
        await writeFile(written, blob, { mode: 0o600 })
        await rename(written, pathOf(digest))
      } catch {
        await rm(written, { force: true }).catch(nothing)
      }
    },
  }
}

export const noBlobsOnDisk: BlobsOnDisk = { get: async () => undefined, set: async () => undefined }

const nothing = (): undefined => undefined

const makeRoom = async (folder: string, bytesLeft: number): Promise<void> => {
  const files = await Promise.all((await readdir(folder)).map(name => fileAt(join(folder, name))))
  const newestFirst = files.filter(file => file !== undefined).sort((a, b) => b.mtimeMs - a.mtimeMs)
  let bytes = 0
  for (const { path, size } of newestFirst) {
    bytes += size
    if (bytes > bytesLeft) await rm(path, { force: true })
  }
}

const fileAt = async (path: string): Promise<{ path: string; size: number; mtimeMs: number } | undefined> => {
  const file = await stat(path).catch(nothing)
  return file?.isFile() ? { path, size: file.size, mtimeMs: file.mtimeMs } : undefined
}
