// One request and its answer: headers, repeats within the call's time, failures by their meaning. It knows nothing of
// objects and kinds.
import { setTimeout as pause } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { bodyOf, refusalOf } from './answers.ts'
import type { CallBounds } from './client-types.ts'
import type { Connections } from './connections.ts'
import { endedBefore, lossOf } from './losses.ts'
import { pauseBeforeRepeat, type Repeatability } from './repeat.ts'

/** A request as a value. `verb` is what metrics call it. */
export type Ask = {
  verb: string
  method: Dispatcher.HttpMethod
  path: string
  repeatability: Repeatability
  accept?: string
  contentType?: string
  body?: string
}

/** What a call lends to every request made in its course; see Client.bound. */
export type Call = CallBounds

export type Exchange = {
  connections: Connections
  /** Time that a call has which is bound to no deadline. */
  callSeconds: number
  random: () => number
  onRequest?: (request: RequestNote) => void
}

/** One attempt, for counting: `code` is the HTTP code, or `<error>` when there was no answer. */
export type RequestNote = { code: string; method: string; verb: string }

type Answer = Dispatcher.ResponseData

/** The body of the answer: JSON parsed, other text as it is. Rejects with ApiError, ConnectionError or AccessError. */
export const exchange = async (through: Exchange, ask: Ask, call: Call): Promise<unknown> => {
  const deadline = call.deadline ?? performance.now() + through.callSeconds * 1000
  for (let attempts = 1; ; attempts++) {
    try {
      return await bodyOf(await answered(through, ask, call, 'calls'), ask)
    } catch (failure) {
      const error = lossOf(failure, ask, call.signal)
      const [remainingMilliseconds, random] = [deadline - performance.now(), through.random()]
      const wait = pauseBeforeRepeat({ error, ...ask, attempts, remainingMilliseconds, random })
      if (wait === undefined) throw error
      // Only the call's end cuts the pause short; what went wrong before it says more.
      await pause(wait, undefined, { signal: call.signal }).catch(() => Promise.reject(error))
    }
  }
}

/** The body of the answer as it comes in; not repeated. Rejects like `exchange`. */
export const stream = async (through: Exchange, ask: Ask, call: Call): Promise<Answer['body']> => {
  try {
    return (await answered(through, ask, call, 'streams')).body
  } catch (failure) {
    throw lossOf(failure, ask, call.signal)
  }
}

const answered = async (through: Exchange, ask: Ask, call: Call, pool: 'calls' | 'streams'): Promise<Answer> => {
  const note = (code: string): void => through.onRequest?.({ code, method: ask.method, verb: ask.verb })
  const answer = await sent(through, ask, call, pool).catch(failure => {
    note('<error>')
    throw failure
  })
  note(String(answer.statusCode))
  if (answer.statusCode >= 300) throw await refusalOf(answer, ask)
  return answer
}

const sent = async (through: Exchange, ask: Ask, call: Call, pool: 'calls' | 'streams'): Promise<Answer> => {
  if (call.deadline !== undefined && performance.now() >= call.deadline) throw endedBefore(ask)
  const open = await through.connections.open()
  const { method, body } = ask
  const headers = headersOf(open.headers, ask, call)
  // undici would close the socket after a DELETE with a body, for servers that do not read one; API servers do.
  const reset = false
  return open[pool].request({ method, path: open.prefix + ask.path, headers, body, signal: call.signal, reset })
}

type Headers = Record<string, string | string[]>

const headersOf = (shared: Readonly<Record<string, string>>, ask: Ask, call: Call): Headers => {
  const headers: Headers = { ...shared, accept: ask.accept ?? 'application/json' }
  if (ask.contentType) headers['content-type'] = ask.contentType
  if (call.traceparent) headers.traceparent = call.traceparent
  if (call.impersonate) headers['impersonate-user'] = call.impersonate.user
  if (call.impersonate?.groups.length) headers['impersonate-group'] = [...call.impersonate.groups]
  return headers
}
