// Errors that are expected: something is not there yet, and trying again will do.
import { errorText } from '../../../core/error-text.ts'
import { ArtifactError } from '../../../outside/artifact-error.ts'

class Retriable extends Error {
  override readonly name = 'Retriable'
  readonly seconds?: number

  constructor(cause: unknown, seconds?: number) {
    super(errorText(cause), { cause })
    this.seconds = seconds
  }
}

/** To be thrown: the component is pending, not in error, and called again after so long, else after its retry interval. */
export const retriable = (error: unknown, seconds?: number): Error => new Retriable(error, seconds)

/** Finds one however deep it is wrapped: in `cause`, or among the errors of an AggregateError. */
export const retriableIn = (error: unknown): { seconds?: number } | undefined => {
  if (error instanceof Retriable) return { seconds: error.seconds }
  if (error instanceof ArtifactError) return { seconds: error.retryAfterSeconds }
  if (!(error instanceof Error)) return undefined
  const inner = [error.cause, ...(error instanceof AggregateError ? error.errors : [])]
  return inner.map(retriableIn).find(found => found !== undefined)
}
