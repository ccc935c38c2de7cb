// The routes by which functions are called: POST /functions/NAME, /functions/NAME/keys and /functions/NAME/plan.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  keySchema,
  keysAnswerSchema,
  keysQuestionSchema,
  outcomeSchema,
  planAnswerSchema,
  planQuestionSchema,
  quietHeader,
  waitingHeader,
} from '../../api/calls.ts'
import { type Key, type KubeObject, keyText } from '../../core/objects/object.ts'
import type { PlanSubject } from '../../runtime/planned.ts'
import { continuedTrace } from '../../trace/trace.ts'
import { callerOf, type TokenCheck } from '../callers.ts'
import type { Callable, CallOrigin, ChangedObject, FunctionCalls } from '../calls.ts'
import { Refused } from '../errors.ts'
import { noRoute, type OwnRoute, serveRoute } from './route.ts'

type FunctionRoutes = {
  callables: readonly Callable[]
  calls: FunctionCalls
  checkToken: TokenCheck
}

/** The maximum object size of API servers. */
const objectLimit = 2 * 2 ** 20

export const serveFunctions = (app: FastifyInstance, { callables, calls, checkToken }: FunctionRoutes): void => {
  app.register(async own => {
    own.addHook('onRequest', async ({ headers }) => {
      await callerOf(headers.authorization, checkToken)
    })
    for (const callable of callables) {
      serveRoute(own, callRoute(callable, calls))
      serveRoute(own, planRoute(callable, calls))
      if (callable.definition.keys) serveRoute(own, keysRoute(callable, calls))
    }
    serveUnknown(own, callables)
  })
}

const callRoute = (callable: Callable, calls: FunctionCalls): OwnRoute => ({
  method: 'POST',
  url: `/functions/${callable.definition.name}`,
  about: {
    summary: `Calls ${callable.definition.name} for one ${callable.definition.kind.kind}`,
    answers: { 200: { description: 'The outcome, and when to call again', schema: outcomeSchema } },
  },
  schema: { body: keySchema },
  handlerTimeout: callable.timeoutSeconds * 1_000,
  handler: async (request, reply) => {
    const key = request.body as Key
    const isQuiet = request.headers[quietHeader] === 'true'
    return calls.call(callable, key, {
      ...asking(request, reply, { ...nameOf(callable), object: keyText(key) }),
      isQuiet,
      queue: queueIn(request),
      waits: () => reply.raw.headersSent || reply.raw.writeProcessing(),
    })
  },
})

/** Relays are identified by their address. */
const queueIn = ({ headers, ip }: FastifyRequest): CallOrigin['queue'] => {
  const waiting = headers[waitingHeader]
  return typeof waiting === 'string' && /^\d{1,6}$/.test(waiting) ? { relay: ip, waiting: Number(waiting) } : undefined
}

const planRoute = (callable: Callable, calls: FunctionCalls): OwnRoute => ({
  method: 'POST',
  url: `/functions/${callable.definition.name}/plan`,
  about: {
    summary: `The plan of ${callable.definition.name} for one ${callable.definition.kind.kind}, without any write`,
    answers: {
      200: { description: 'The steps, the outcome, and the conditions it waits for', schema: planAnswerSchema },
    },
  },
  schema: { body: planQuestionSchema },
  bodyLimit: objectLimit,
  handlerTimeout: callable.timeoutSeconds * 1_000,
  handler: async (request, reply) => {
    const subject = subjectIn(request.body as Key | { readonly object: KubeObject }, callable)
    return calls.plan(callable, subject, asking(request, reply, nameOf(callable)))
  },
})

const subjectIn = (body: Key | { readonly object: KubeObject }, { definition }: Callable): PlanSubject => {
  if (!('object' in body)) return { key: body }
  const [found, allowed] = [body.object, definition.kind].map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)
  if (found === allowed) return body
  throw new Refused('badBody', { detail: `body.object: found ${found}, allowed: ${allowed}` })
}

const keysRoute = (callable: Callable, calls: FunctionCalls): OwnRoute => ({
  method: 'POST',
  url: `/functions/${callable.definition.name}/keys`,
  about: {
    summary: `The keys of ${callable.definition.name} that an object affects`,
    answers: { 200: { description: 'Its keys', schema: keysAnswerSchema } },
  },
  schema: { body: keysQuestionSchema },
  bodyLimit: objectLimit,
  handlerTimeout: callable.timeoutSeconds * 1_000,
  handler: async (request, reply) => {
    const changed = request.body as ChangedObject
    return { keys: await calls.keys(callable, changed, asking(request, reply, nameOf(callable))) }
  },
})

/** Answers all other paths: the function is unknown, or has no `keys`. */
const serveUnknown = (app: FastifyInstance, callables: readonly Callable[]): void => {
  const functions = callables.map(({ definition }) => definition.name)
  app.all('/functions/*', {
    onRequest: async request => {
      throw noRoute(app, request, () => new Refused('unknownFunction', { facts: { functions } }))
    },
    handler: async () => undefined,
  })
}

/** Adds function, object and trace to all further log lines of the request. */
const asking = (request: FastifyRequest, reply: FastifyReply, about: object): CallOrigin => {
  const trace = continuedTrace(request.headers.traceparent)
  request.log = request.log.child({ ...about, trace: trace.traceId })
  return { since: performance.now() - reply.elapsedTime, trace, log: request.log }
}

const nameOf = ({ definition }: Callable): { function: string } => ({ function: definition.name })
