// Expected errors, such as a missing object. Another attempt may succeed.
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

/**
 * For generators, hooks and loads: the component becomes Pending and is called again, after `seconds` if set.
 *
 *   const waitForApi: Hook = async ({ client }) => {
 *     await client.list({ apiVersion: 'cert-manager.io/v1', kind: 'Issuer' }).catch(error => {
 *       throw retriable(error, 5)
 *     })
 *   }
 */
export const retriable = (error: unknown, seconds?: number): Error => new Retriable(error, seconds)

/** Searches `cause` and AggregateErrors at any depth. */
export const retriableIn = (error: unknown): { seconds?: number } | undefined => {
  if (error instanceof Retriable) return { seconds: error.seconds }
  if (error instanceof ArtifactError) return { seconds: error.retryAfterSeconds }
  if (!(error instanceof Error)) return undefined
  const inner = [error.cause, ...(error instanceof AggregateError ? error.errors : [])]
  return inner.map(retriableIn).find(found => found !== undefined)
}
