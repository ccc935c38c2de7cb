// Pulls one blob by digest. Content from registry or disk is checked against the digest before use.

import { sha256Hex } from '../../core/digest.ts'
import { ArtifactError } from '../artifact-error.ts'
import type { BlobsOnDisk } from './blobs-on-disk.ts'
import { credentialsFor } from './credentials.ts'
import type { RegistryRules } from './hosts.ts'
import { isDigest, type Repository, repositoryOf, withName } from './reference.ts'
import { type RegistrySession, registrySession } from './session.ts'

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

const pullSeconds = 30
const blobBytesMost = 32 * 2 ** 20

/** Throws ArtifactError; the message contains the blob. */
export const blob = (asked: Blob, parts: BlobParts): Promise<Uint8Array> =>
  withName({ repository: asked.repository, digest: asked.digest }, async () => {
    const { digest } = asked
    if (!isDigest(digest)) throw new ArtifactError('refused', 'expected a sha256 digest')
    const kept = await parts.onDisk.get(digest)
    if (kept && isProved(kept, digest)) return kept
    const pulled = proved(await fetched(asked, parts), digest)
    await parts.onDisk.set(digest, pulled)
    return pulled
  })

const fetched = async (asked: Blob, parts: BlobParts): Promise<Uint8Array> => {
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
export const proved = (body: Uint8Array, digest: string): Uint8Array => {
  if (!isProved(body, digest))
    throw new ArtifactError('digest', `the content received for ${digest} has another digest`)
  return body
}
