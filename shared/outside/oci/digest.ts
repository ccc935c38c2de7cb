// Digests of what came from a registry: nothing is read before it has the digest that it was asked by.
import { sha256Hex } from '../../core/digest.ts'
import { ArtifactError } from '../artifact-error.ts'

export const sha256 = (body: Uint8Array): string => `sha256:${sha256Hex(body)}`

export const isProved = (body: Uint8Array, digest: string): boolean => sha256(body) === digest

/** The body itself. Throws an ArtifactError when it has another digest. */
export const proved = (body: Uint8Array, digest: string): Uint8Array => {
  if (!isProved(body, digest)) throw new ArtifactError('digest', `what came as ${digest} has another digest`)
  return body
}
