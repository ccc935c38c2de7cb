// Repeats the first requests of `npm start` for a minute, so that a slow or invalid answer of an API server does not end the program.
import { setTimeout as wait } from 'node:timers/promises'
import { errorText } from '../../core/text/error-text.ts'
import { AccessError, ApiError, isTrouble } from '../../kube/errors.ts'
import type { Terminal } from './terminal.ts'

const patienceMilliseconds = 60_000
const pauseMilliseconds = 1_000

/** Rejects with an error that remains after a minute, or that another attempt cannot change. */
export const patiently = async <T>(
  what: string,
  attempt: () => Promise<T>,
  { line }: Pick<Terminal, 'line'>,
): Promise<T> => {
  const until = performance.now() + patienceMilliseconds
  let said = ''
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (isFinal(error) || performance.now() > until) throw new Error(`${what}: ${errorText(error)}`, { cause: error })
      if (errorText(error) !== said) line('…', `${what}: ${errorText(error)}; retrying`)
      said = errorText(error)
      await wait(pauseMilliseconds)
    }
  }
}

/** Our own errors, such as an error about an incomplete answer, are not final, because the next answer may be complete. */
const isFinal = (error: unknown): boolean =>
  error instanceof AccessError || (error instanceof ApiError && !isTrouble(error))
