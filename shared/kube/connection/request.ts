// One request and its answer: headers, repeats within the call's time, failures by their meaning. It knows nothing of
// objects and kinds.
import { setTimeout as pause } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import type { ByteBudget } from '../../core/byte-budget.ts'
import type { CallBounds, RequestNote } from '../client-types.ts'
import { Excess, type Limits } from '../limits.ts'
import { bodyOf, refusalOf, statusBytesMost } from './answers.ts'
import { endedBefore, lossOf } from './connection-errors.ts'
import type { Connections } from './connections.ts'
import { beginning } from './first-bytes.ts'
import type { Pace } from './pace.ts'
import { pauseBeforeRepeat, type Repeatability } from './repeat.ts'
import { Overdue, type ReceivedAnswer, wholeAnswer } from './whole-answer.ts'

/** A request as a value. `verb` is what metrics call it. */
export type Ask = {
  verb: string
  method: Dispatcher.HttpMethod
  path: string
  repeatability: Repeatability
  accept?: string
  contentType?: string
  body?: string
  /** Told how much came. */
  came?: (bytes: number) => void
}

/** What a call lends to every request made in its course; see Client.bound. */
export type Call = CallBounds

export type Exchange = {
  connections: Connections
  limits: Limits
  pace: Pace
  /** Given: what is received has its place in it, beside what other clusters send. */
  receiving?: ByteBudget
  /** How long a read may be silent, if that is less than what the connections allow. */
  readMilliseconds?: number
  /** Time that a call has which is bound to no deadline. */
  callSeconds: number
  random: () => number
  onRequest?: (request: RequestNote) => void
}

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
  const bytesMost = through.limits.answerBytes
  const millisecondsMost = millisecondsFor(ask, through, call)
  if (millisecondsMost <= 0) throw new Overdue()
  const bounds = { ...patienceFor(ask, through), bytesMost, millisecondsMost, share: shareOf(through) }
  const answer = await noted(through, ask, wholeAnswer(calls, { ...request, ...bounds }))
  try {
    return await bodyIn(answer, { through, ask, call })
  } finally {
    answer.body.release()
  }
}

/** The place of its answers among those of all clusters of others; undefined of our own cluster. */
export const shareOf = ({ receiving, connections: { place } }: Exchange) =>
  receiving && { budget: receiving, from: place }

type Asked = { readonly through: Exchange; readonly ask: Ask; readonly call: Call }

const bodyIn = async ({ body, ...head }: ReceivedAnswer, { through, ask, call }: Asked): Promise<unknown> => {
  await heldBack(through, body.length, call)
  ask.came?.(body.length)
  const answer = { ...head, bytes: body.bytes }
  if (answer.statusCode >= 300) throw refusalOf(answer, ask)
  return bodyOf(answer, ask, through.limits)
}

/** The pool's own where it names none. */
const patienceFor = ({ repeatability }: Ask, { readMilliseconds }: Exchange) =>
  repeatability === 'read' ? { headersTimeout: readMilliseconds, bodyTimeout: readMilliseconds } : {}

/** For the whole answer. */
const millisecondsFor = ({ repeatability }: Ask, { limits }: Exchange, call: Call): number => {
  const own = repeatability === 'read' ? limits.readSeconds : limits.writeSeconds
  return Math.min(own * 1000, millisecondsLeft(limits, call))
}

/** None is left for the API server alone where the call has none. */
const millisecondsLeft = ({ lastWordSeconds }: Limits, { deadline }: Call): number =>
  deadline === undefined || lastWordSeconds === 0
    ? Number.POSITIVE_INFINITY
    : deadline - performance.now() - lastWordSeconds * 1000

const heldMillisecondsMost = 10_000

/** What came counts before it is looked at: that takes our time too. */
const heldBack = async ({ pace, limits }: Exchange, bytes: number, call: Call): Promise<void> => {
  const milliseconds = pace(bytes, performance.now())
  if (milliseconds === 0) return
  if (milliseconds > Math.min(heldMillisecondsMost, millisecondsLeft(limits, call)))
    throw new Excess('TOO_FAST', 'more is sent than is read')
  await pause(milliseconds, undefined, { signal: call.signal })
}

/** The body of the answer as it comes in; not repeated. Rejects like `exchange`. */
export const stream = async (through: Exchange, ask: Ask, call: Call): Promise<Dispatcher.ResponseData['body']> => {
  try {
    const { streams, ...request } = await begun(through, ask, call)
    const { body, ...head } = await noted(through, ask, streams.request(request))
    if (head.statusCode >= 300) throw refusalOf({ ...head, bytes: await beginning(body, refusalBounds) }, ask)
    return body
  } catch (failure) {
    throw lossOf(failure, askedOf(through, ask), call.signal)
  }
}

const refusalBounds = { bytesMost: statusBytesMost, milliseconds: 10_000 }

const askedOf = ({ connections: { place } }: Exchange, { method, path }: Ask) => ({ method, path, place })

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
