// Puts the name of an artifact before the message of what went wrong with it.
import { ArtifactError } from '../artifact-error.ts'
import { type OciReference, referenceText } from './reference.ts'

/** Rejects with the ArtifactError of `work`, which then names the artifact. */
export const withName = async <T>(reference: OciReference, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ArtifactError)) throw error
    const message = `${referenceText(reference)} cannot be pulled: ${error.message}`
    throw new ArtifactError(error.reason, message, error.retryAfterSeconds)
  }
}
