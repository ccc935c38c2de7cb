// Errors of fetching artifacts. Each fault may disappear without a change of the Component, so callers try again. Messages contain neither
// credentials nor text of the registry.

export type ArtifactReason =
  /** No answer of the registry in time. */
  | 'unreachable'
  /** Credentials are missing or refused. */
  | 'unauthorized'
  /** The tag, digest, repository or folder does not exist, or is hidden from us. */
  | 'notFound'
  /** 5xx or 429 of the registry, no memory for the answer, or an unreadable folder. */
  | 'unavailable'
  /** The content has another digest. */
  | 'digest'
  /** Another kind of artifact. */
  | 'mediaType'
  | 'tooLarge'
  /** An invalid answer of the registry. */
  | 'unreadable'
  /** A forbidden address, or a malformed Secret of credentials. */
  | 'refused'

export class ArtifactError extends Error {
  override readonly name = 'ArtifactError'
  readonly reason: ArtifactReason
  readonly retryAfterSeconds?: number

  constructor(reason: ArtifactReason, message: string, retryAfterSeconds?: number) {
    super(message)
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
  }
}
