// Why an artifact could not be had. Each reason may pass without anybody touching the object that names the artifact. No
// message carries a credential, or a text that came from the registry.

export type ArtifactReason =
  /** Nobody answers, or not in time. */
  | 'unreachable'
  /** The registry asks for credentials, or for others. */
  | 'unauthorized'
  /** There is no such tag, digest, repository or folder, or none that we may see. */
  | 'notFound'
  /** The registry is in trouble or has had enough of us. */
  | 'unavailable'
  /** What came is not what its digest says. */
  | 'digest'
  /** It is another kind of artifact. */
  | 'mediaType'
  | 'tooLarge'
  /** What came is no answer of a registry. */
  | 'unreadable'
  /** We do not look there, or do not understand the credentials. */
  | 'refused'

export class ArtifactError extends Error {
  override readonly name = 'ArtifactError'
  readonly reason: ArtifactReason
  /** What the registry asks us to wait. */
  readonly retryAfterSeconds?: number

  constructor(reason: ArtifactReason, message: string, retryAfterSeconds?: number) {
    super(message)
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
  }
}
