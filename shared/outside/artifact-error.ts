// Errors of fetching artifacts. Callers try again, because each fault may disappear without a change of the Component. Messages contain
// neither credentials nor text of the registry.

export type ArtifactReason =
  /** The registry did not answer in time. */
  | 'unreachable'
  /** Credentials are missing or refused. */
  | 'unauthorized'
  /** The tag, digest, repository or folder does not exist, or is hidden from us. */
  | 'notFound'
  /** The registry answered 5xx or 429, there is no memory for the answer, or the folder is unreadable. */
  | 'unavailable'
  /** The content does not have the expected digest. */
  | 'digest'
  /** The artifact is of another kind than expected. */
  | 'mediaType'
  | 'tooLarge'
  /** The registry sent an invalid answer. */
  | 'unreadable'
  /** The address is forbidden, or the Secret of credentials is malformed. */
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
