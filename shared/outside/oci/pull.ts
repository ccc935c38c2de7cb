// Pulls an artifact: tag → digest → manifest → layer. Manifest and layer are checked against their digests before use.
import { ArtifactError } from '../artifact-error.ts'
import { proved, sha256 } from './blob.ts'
import { credentialsFor } from './credentials.ts'
import type { RegistryRules } from './hosts.ts'
import { type ArtifactKind, acceptedTypes, documentIn, layerOf, type OciManifest } from './manifest.ts'
import { isDigest, type OciReference, repositoryOf, withName } from './reference.ts'
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
  const manifest = await manifestAt(digest, registry)
  const layer = layerOf(manifest, kind)
  if (layer.size > layerBytesMost)
    throw new ArtifactError('tooLarge', `its layer is larger than ${layerBytesMost} bytes`)
  const path = `blobs/${layer.digest}`
  const { body } = await registry.ask({ method: 'GET', path, bytesMost: layer.size })
  return { digest, version: manifest.version ?? '', content: proved(body, layer.digest) }
}

/** The manifest, or the first manifest of an index. All of them fit, because charts and folders do not depend on a platform. */
const manifestAt = async (digest: string, registry: RegistrySession): Promise<OciManifest> => {
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
