// Sends one request and reads its answer, with headers, repeats and errors, independent of objects and kinds.
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import type { ByteBudget } from '../../core/bounds/bytes.ts'
import type { CallBounds, RequestNote } from '../client-types.ts'
import { Excess, type Limits } from '../limits.ts'
import { bodyOf, refusalOf, statusBytesMost } from './answers.ts'
import { connectionErrorOf, endedBefore } from './connection-errors.ts'
import type { Connections } from './connections.ts'
import { firstBytes } from './first-bytes.ts'
import type { Pace } from './pace.ts'
import { pauseBeforeRepeat, type Repeatability } from './repeat.ts'
import { Overdue, type ReceivedAnswer, wholeAnswer } from './whole-answer.ts'

/** `verb` is the name in metrics. */
export type ApiRequest = {
  verb: string
  method: Dispatcher.HttpMethod
  path: string
  repeatability: Repeatability
  accept?: string
  contentType?: string
  body?: string
  tellSize?: (bytes: number) => void
}

export type Call = CallBounds

export type Transport = {
  connections: Connections
  limits: Limits
  pace: Pace
  /** Memory budget that all remote clusters share. */
  receiving?: ByteBudget
  /** Time limit for reads with all attempts, if shorter than the limit of the connections. */
  readMilliseconds?: number
  /** Total time of a request with all attempts, if the call has no `lastRequestAt`. */
  callSeconds: number
  random: () => number
  onRequest?: (request: RequestNote) => void
}

/** Returns parsed JSON, or the text of other media types. Rejects with ApiError, ConnectionError or AccessError. */
export const sendRequest = async (through: Transport, ask: ApiRequest, call: Call): Promise<unknown> => {
  const lastRepeatAt = lastRepeat(through, ask, call)
  for (let attempts = 1; ; attempts++) {
    try {
      return await whole(through, ask, call)
    } catch (failure) {
      const error = connectionErrorOf(failure, askedOf(through, ask), call.signal)
      const [remainingMilliseconds, random] = [lastRepeatAt - performance.now(), through.random()]
      const wait = pauseBeforeRepeat({ error, ...ask, attempts, remainingMilliseconds, random })
      if (wait === undefined) throw error
      // If the call ends during the pause, report the error from before the pause, because that error contains more information.
      await pause(wait, undefined, { signal: call.signal }).catch(() => Promise.reject(error))
    }
  }
}

const lastRepeat = (
  { callSeconds, readMilliseconds }: Transport,
  { repeatability }: ApiRequest,
  call: Call,
): number => {
  const now = performance.now()
  const { lastRequestAt = now + callSeconds * 1000 } = call
  return repeatability === 'read' && readMilliseconds ? Math.min(lastRequestAt, now + readMilliseconds) : lastRequestAt
}

const whole = async (through: Transport, ask: ApiRequest, call: Call): Promise<unknown> => {
  const { calls, ...request } = await begun(through, ask, call)
  const bytesMost = through.limits.answerBytes
  const { traffic } = through.connections
  const millisecondsMost = millisecondsFor(ask, through, call)
  if (millisecondsMost <= 0) throw new Overdue()
  const bounds = { ...patienceFor(ask, through), bytesMost, millisecondsMost, share: shareOf(through), traffic }
  const answer = await noted({ through, ask, call }, wholeAnswer(calls, { ...request, ...bounds }))
  try {
    return await bodyIn(answer, { through, ask, call })
  } finally {
    answer.body.release()
  }
}

/** The memory budget of a remote cluster; undefined for our own cluster. */
export const shareOf = ({ receiving, connections: { place } }: Transport) =>
  receiving && { budget: receiving, from: place }

type Asked = { readonly through: Transport; readonly ask: ApiRequest; readonly call: Call }

const bodyIn = async ({ body, ...head }: ReceivedAnswer, { through, ask, call }: Asked): Promise<unknown> => {
  await heldBack(through, body.length, call)
  ask.tellSize?.(body.length)
  const answer = { ...head, bytes: body.bytes }
  if (answer.statusCode >= 300) throw refusalOf(answer, ask)
  return bodyOf(answer, ask, through.limits)
}

/** How long a read may be silent. Default: the timeouts of the pool. */
const patienceFor = ({ repeatability }: ApiRequest, { readMilliseconds }: Transport) =>
  repeatability === 'read' ? { headersTimeout: readMilliseconds, bodyTimeout: readMilliseconds } : {}

const millisecondsFor = ({ repeatability }: ApiRequest, { limits }: Transport, call: Call): number => {
  const own = repeatability === 'read' ? limits.readSeconds : limits.writeSeconds
  return Math.min(own * 1000, millisecondsLeft(limits, call))
}

/** The time left for the API server. The rest of the call's time is for reporting errors. */
const millisecondsLeft = ({ lastWordSeconds }: Limits, { lastRequestAt }: Call): number =>
  lastRequestAt === undefined || lastWordSeconds === 0
    ? Number.POSITIVE_INFINITY
    : lastRequestAt - performance.now() - lastWordSeconds * 1000

const heldMillisecondsMost = 10_000

/** Waits before parsing, because parsing also takes time. */
const heldBack = async ({ pace, limits }: Transport, bytes: number, call: Call): Promise<void> => {
  const milliseconds = pace(bytes, performance.now())
  if (milliseconds === 0) return
  if (milliseconds > Math.min(heldMillisecondsMost, millisecondsLeft(limits, call)))
    throw new Excess('TOO_FAST', 'data is sent faster than it is read')
  await pause(milliseconds, undefined, { signal: call.signal })
}

/** The body as a stream, without repeats. Rejects as `sendRequest` does. */
export const openStream = async (through: Transport, ask: ApiRequest, call: Call): Promise<Readable> => {
  try {
    const { streams, method, path, headers, signal } = await begun(through, ask, call)
    const { traffic } = through.connections
    const { body, ...head } = await noted({ through, ask, call }, streams.request({ method, path, headers, signal }))
    if (head.statusCode >= 300)
      throw refusalOf({ ...head, bytes: await firstBytes(body, { ...refusalBounds, traffic }) }, ask)
    return body
  } catch (failure) {
    throw connectionErrorOf(failure, askedOf(through, ask), call.signal)
  }
}

const refusalBounds = { bytesMost: statusBytesMost, milliseconds: 10_000 }

const askedOf = ({ connections: { place } }: Transport, { method, path }: ApiRequest) => ({ method, path, place })

const noted = async <Answer extends { statusCode: number }>(
  { through, ask: { method, verb, path }, call }: Asked,
  asked: Promise<Answer>,
): Promise<Answer> => {
  const began = performance.now()
  const note = (code: string): void => {
    const request = { code, method, verb, path, began }
    through.onRequest?.(request)
    call.onRequest?.(request)
  }
  const answer = await asked.catch(failure => {
    note('<error>')
    throw failure
  })
  note(String(answer.statusCode))
  return answer
}

/** The request for undici, and the pools. Throws when the call's time is up. */
const begun = async (through: Transport, ask: ApiRequest, call: Call) => {
  if (call.lastRequestAt !== undefined && performance.now() >= call.lastRequestAt)
    throw endedBefore(askedOf(through, ask))
  const { calls, streams, headers, origin, prefix } = await through.connections.open()
  const { method, path, body } = ask
  through.connections.traffic.asked()
  // undici closes the socket after a DELETE with a body, because some servers do not read it. API servers do.
  const reset = false
  const { signal } = call
  const asked = { origin, method, path: prefix + path, headers: headersOf(headers, ask, call), body, signal, reset }
  return { calls, streams, ...asked }
}

type Headers = Record<string, string | string[]>

const headersOf = (shared: Readonly<Record<string, string>>, ask: ApiRequest, call: Call): Headers => {
  const headers: Headers = { ...shared, accept: ask.accept ?? 'application/json' }
  if (ask.contentType) headers['content-type'] = ask.contentType
  if (call.traceparent) headers.traceparent = call.traceparent
  if (call.impersonate) headers['impersonate-user'] = call.impersonate.user
  if (call.impersonate?.groups.length) headers['impersonate-group'] = [...call.impersonate.groups]
  return headers
}
