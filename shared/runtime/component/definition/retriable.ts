// Expected errors: something does not exist yet, and another try will succeed.
import { errorText } from '../../../core/text/error-text.ts'
import { ArtifactError } from '../../../outside/artifact-error.ts'

class Retriable extends Error {
  override readonly name = 'Retriable'
  readonly seconds?: number

  constructor(cause: unknown, seconds?: number) {
    super(errorText(cause), { cause })
    this.seconds = seconds
  }
}

/** Thrown by a generator, hook or load: the component becomes Pending and is called again, after `seconds` if given. */
export const retriable = (error: unknown, seconds?: number): Error => new Retriable(error, seconds)

/** Finds such an error in `cause` and in AggregateErrors, at any depth. */
export const retriableIn = (error: unknown): { seconds?: number } | undefined => {
  if (error instanceof Retriable) return { seconds: error.seconds }
  if (error instanceof ArtifactError) return { seconds: error.retryAfterSeconds }
  if (!(error instanceof Error)) return undefined
  const inner = [error.cause, ...(error instanceof AggregateError ? error.errors : [])]
  return inner.map(retriableIn).find(found => found !== undefined)
}
