// POST /v1/NAME/event and /v2/NAME/event: events of runtimes. Checks in this order: method, certificate, rate, caller,
// name, size, body. The keys are then handed to the relay. Only handed-over events are answered with 200, so that the caller repeats all
// other events.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Rates } from '../../core/bounds/rates.ts'
import { type GatherContext, gatherContext, type ProcessContext } from '../../runtime/context.ts'
import type { CallbackFunction, ConcernedKeys } from '../../runtime/definition.ts'
import { continuedTrace } from '../../trace/trace.ts'
import type { Gate } from '../bare-app.ts'
import { timed } from '../call-limits.ts'
import { budget } from '../calls.ts'
import { answerOf, closingIfUnread, Refused } from '../errors.ts'
import type { HostReadiness } from '../readiness.ts'
import { believedCaller, type RuntimeTrust, runtimeCallerOf } from '../runtime-caller.ts'
import type { CallbackBegins } from '../telemetry/metrics.ts'
import { type OwnRoute, serveRoute } from './route.ts'

export type ServedCallback = {
  definition: CallbackFunction
  context: ProcessContext
  contracts: readonly string[]
  timeoutSeconds: number
}

export type HandOver = (keys: ConcernedKeys, call: { traceparent: string; signal: AbortSignal }) => Promise<void>

export type CallbackParts = {
  trust: RuntimeTrust
  secondsUntilNext: Rates
  handOver: HandOver
}

type CallbackRoutes = CallbackParts & {
  callbacks: readonly ServedCallback[]
  begins: CallbackBegins
  now: () => Date
}

const eventMost = 16_384

export const serveCallbacks = (app: FastifyInstance, parts: CallbackRoutes): void => {
  app.decorateRequest('callback')
  for (const served of parts.callbacks) {
    const callback = { ...served, ...parts }
    for (const contract of served.contracts) {
      const url = `/${contract}/:name/event`
      serveRoute(app, eventRoute(url, callback))
      app.route({ method: otherMethods, url, onRequest: refuseMethod, handler: refuseMethod })
    }
  }
}

const otherMethods = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

const refuseMethod = async (): Promise<never> => {
  throw new Refused('methodNotAllowed', { headers: { allow: 'POST' } })
}

declare module 'fastify' {
  interface FastifyRequest {
    callback?: { caller: unknown; trace: string }
  }
}

type Callback = ServedCallback & CallbackRoutes

const eventRoute = (url: string, callback: Callback): OwnRoute => {
  const { definition, begins } = callback
  const measured = new WeakMap<FastifyRequest, ReturnType<CallbackBegins>>()
  return {
    method: 'POST',
    url,
    about: {
      summary: `Reports to ${definition.name} that an object of a runtime changed`,
      answers: { 200: { description: 'The relay will call the functions for the affected objects' } },
    },
    bodyLimit: eventMost,
    onRequest: async (request, reply) => {
      measured.set(request, begins())
      request.callback = await knownCaller(callback, request, reply)
    },
    onResponse: async (request, reply) => {
      // Also counts requests that an earlier check refused.
      const ends = measured.get(request) ?? begins()
      ends({ code: reply.statusCode, seconds: reply.elapsedTime / 1_000, route: url })
    },
    handler: async (request, reply) => {
      await handedOver(callback, request, reply)
      return {}
    },
  }
}

/** All checks before the body is read. */
const knownCaller = async (callback: Callback, request: FastifyRequest, reply: FastifyReply) => {
  const { definition, trust, now } = callback
  const commonName = await runtimeCallerOf(request.raw, trust, now())
  const trace = continuedTrace(request.headers.traceparent).traceparent
  const caller = await inTime(callback, { reply, trace }, async context => {
    const found = await definition.callerOf(commonName, context)
    if (found === undefined) throw stranger(commonName)
    const { name = '' } = request.params as { name?: string }
    if (!(await definition.isListening(name, context))) throw new Refused('unknownListener')
    return found
  })
  return { caller, trace }
}

const stranger = (commonName: string): Refused =>
  new Refused('forbidden', { cause: new Error(`${JSON.stringify(commonName)} belongs to no runtime or to several`) })

const handedOver = async (callback: Callback, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  const { caller, trace = '' } = request.callback ?? {}
  await inTime(callback, { reply, trace }, async (context, signal) => {
    const concerned = await callback.definition.concerned(request.body, caller, context)
    if (concerned === undefined) throw new Refused('badBody', { detail: 'the body is not an event' })
    await Promise.all(concerned.map(keys => callback.handOver(keys, { traceparent: trace, signal })))
  })
}

type Within = { reply: FastifyReply; trace: string }

/** The function's time begins with the request. */
const inTime = <T>(
  { definition, timeoutSeconds, context }: Callback,
  { reply, trace }: Within,
  work: (context: GatherContext, signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const { lastRequestAt } = budget(timeoutSeconds, performance.now() - reply.elapsedTime)
  return timed(lastRequestAt - performance.now(), async signal =>
    work(await gatherContext(context, definition, { signal, lastRequestAt, traceparent: trace }), signal),
  )
}

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
