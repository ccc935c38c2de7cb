// Refuses events of a runtime above its rate before Fastify sees them. A runtime with a fault may send thousands of events per second, and
// even refusals delay the events of other runtimes.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Gate } from '../bare-app.ts'
import { believedCaller } from '../callers/runtime-caller.ts'
import { answerOf, closingIfUnread } from '../errors.ts'
import type { HostReadiness } from '../readiness.ts'
import type { CallbackRoutes, ServedCallback } from './callbacks.ts'

type GateParts = Omit<CallbackRoutes, 'context' | 'handOver'> & { readiness: HostReadiness }

export const callbackGate = ({ callbacks, trust, secondsUntilNext, begins, now, readiness }: GateParts): Gate => {
  // The router accepts other spellings of a path, such as `/v%32/…`. This listener serves only callbacks, so the rate counts for all paths.
  const servedAt = (path: string): ServedCallback | undefined =>
    callbacks.find(({ contracts }) => contracts.some(contract => path.startsWith(`/${contract}/`))) ?? callbacks[0]
  return (request, response) => {
    const served = request.method === 'POST' ? servedAt(request.url ?? '') : undefined
    if (served === undefined) return false
    // The route handles unknown callers, because it reads the CAs again before a refusal.
    const caller = believedCaller(request, trust, now())
    const wait = caller === undefined ? undefined : secondsUntilNext(caller)
    if (wait === undefined) return false
    const ends = begins()
    const seconds = refuse(request, response, { wait, isEnding: readiness.isEnding })
    ends({ code: response.statusCode, seconds })
    return true
  }
}

type Refusing = { readonly wait: number; readonly isEnding: boolean }

/** Returns how long the request took, in seconds. */
const refuse = (request: IncomingMessage, response: ServerResponse, { wait, isEnding }: Refusing): number => {
  const began = performance.now()
  const extra = { 'retry-after': String(Math.ceil(wait)), ...(isEnding && { connection: 'close' }) }
  const { status, headers, body } = closingIfUnread(request, answerOf('tooOften', { headers: extra }, randomUUID()))
  const text = JSON.stringify(body)
  const ofText = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text) }
  response.writeHead(status, { ...headers, ...ofText }).end(text)
  return (performance.now() - began) / 1_000
}
