// One request and its answer: headers, repeats within the call's time, failures by their meaning. It knows nothing of
// objects and kinds.
import { setTimeout as pause } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { bodyOf, refusalOf } from './answers.ts'
import type { CallBounds } from './client-types.ts'
import type { Connections } from './connections.ts'
import { endedBefore, lossOf } from './losses.ts'
import { pauseBeforeRepeat, type Repeatability } from './repeat.ts'
import { wholeAnswer } from './whole-answer.ts'

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
  /** How long a read may be silent, if that is less than what the connections allow. */
  readMilliseconds?: number
  /** Time that a call has which is bound to no deadline. */
  callSeconds: number
  random: () => number
  onRequest?: (request: RequestNote) => void
}

/** One attempt, for counting: `code` is the HTTP code, or `<error>` when there was no answer. */
export type RequestNote = { code: string; method: string; verb: string }

/** The body of the answer: JSON parsed, other text as it is. Rejects with ApiError, ConnectionError or AccessError. */
export const exchange = async (through: Exchange, ask: Ask, call: Call): Promise<unknown> => {
  const deadline = call.deadline ?? performance.now() + through.callSeconds * 1000
  for (let attempts = 1; ; attempts++) {
    try {
      return await whole(through, ask, call)
    } catch (failure) {
      const error = lossOf(failure, askedOf(through, ask), call.signal)
      const [remainingMilliseconds, random] = [deadline - performance.now(), through.random()]
      const wait = pauseBeforeRepeat({ error, ...ask, attempts, remainingMilliseconds, random })
      if (wait === undefined) throw error
      // Only the call's end cuts the pause short; what went wrong before it says more.
      await pause(wait, undefined, { signal: call.signal }).catch(() => Promise.reject(error))
    }
  }
}

const whole = async (through: Exchange, ask: Ask, call: Call): Promise<unknown> => {
  const { calls, ...request } = await begun(through, ask, call)
  const answer = await noted(through, ask, wholeAnswer(calls, { ...request, ...patienceFor(ask, through) }))
  if (answer.statusCode >= 300) throw refusalOf(answer, ask)
  return bodyOf(answer, ask)
}

/** The pool's own where it names none. */
const patienceFor = ({ repeatability }: Ask, { readMilliseconds }: Exchange) =>
  repeatability === 'read' ? { headersTimeout: readMilliseconds, bodyTimeout: readMilliseconds } : {}

/** The body of the answer as it comes in; not repeated. Rejects like `exchange`. */
export const stream = async (through: Exchange, ask: Ask, call: Call): Promise<Dispatcher.ResponseData['body']> => {
  try {
    const { streams, ...request } = await begun(through, ask, call)
    const { body, ...head } = await noted(through, ask, streams.request(request))
    if (head.statusCode >= 300) throw refusalOf({ ...head, text: await body.text() }, ask)
    return body
  } catch (failure) {
    throw lossOf(failure, askedOf(through, ask), call.signal)
  }
}

const askedOf = ({ connections: { server } }: Exchange, { method, path }: Ask) => ({ method, path, server })

/** The answer, counted. */
const noted = async <Answer extends { statusCode: number }>(
  { onRequest }: Exchange,
  { method, verb }: Ask,
  asked: Promise<Answer>,
): Promise<Answer> => {
  const note = (code: string): void => onRequest?.({ code, method, verb })
  const answer = await asked.catch(failure => {
    note('<error>')
    throw failure
  })
  note(String(answer.statusCode))
  return answer
}

/** The request as undici takes it, and the pools it may go through. Throws when the call's time is up. */
const begun = async (through: Exchange, ask: Ask, call: Call) => {
  if (call.deadline !== undefined && performance.now() >= call.deadline) throw endedBefore(askedOf(through, ask))
  const { calls, streams, headers, prefix } = await through.connections.open()
  const { method, path, body } = ask
  // undici would close the socket after a DELETE with a body, for servers that do not read one; API servers do.
  const reset = false
  const { signal } = call
  return { calls, streams, method, path: prefix + path, headers: headersOf(headers, ask, call), body, signal, reset }
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
