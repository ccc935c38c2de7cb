// Why an artifact could not be fetched. Each fault may go away without a change of the Component that names the artifact, so callers
// try again. No message holds a credential or text that the registry sent.

export type ArtifactReason =
  /** The registry does not answer, or not in time. */
  | 'unreachable'
  /** The registry asks for credentials, or refuses those it was shown. */
  | 'unauthorized'
  /** There is no such tag, digest, repository or folder, or none that we may see. */
  | 'notFound'
  /** The registry answered 5xx or 429, memory for answers is full, or a folder cannot be read. */
  | 'unavailable'
  /** The content does not have the digest it was asked by. */
  | 'digest'
  /** It is another kind of artifact. */
  | 'mediaType'
  | 'tooLarge'
  /** The answer is not one that a registry gives. */
  | 'unreadable'
  /** The address is not allowed, or the Secret with credentials is malformed. */
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
