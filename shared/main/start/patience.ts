// One slow or odd answer of an API server does not end `npm start`: what it does at the start is tried again for a minute.
import { setTimeout as wait } from 'node:timers/promises'
import { errorText } from '../../core/text/error-text.ts'
import { AccessError, ApiError, isTrouble } from '../../kube/errors.ts'
import type { Terminal } from './terminal.ts'

const patienceMilliseconds = 60_000
const pauseMilliseconds = 1_000

/** Rejects with the error that lasts, or that no other attempt would change. */
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
      if (errorText(error) !== said) line('…', `${what}: ${errorText(error)}; it will be retried`)
      said = errorText(error)
      await wait(pauseMilliseconds)
    }
  }
}

/** Our own errors, such as one about an incomplete answer, are not final: the next answer may be whole. */
const isFinal = (error: unknown): boolean =>
  error instanceof AccessError || (error instanceof ApiError && !isTrouble(error))
