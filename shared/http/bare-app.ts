// Creates a Fastify app without routes: bodies, time limits and error answers.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify'
import type { Fitting } from '../api/fit.ts'
import { type LimitReached, type ListenerLimits, limitedServer, usualLimits } from '../listener/server.ts'
import { answerWith, closingIfUnread } from './errors.ts'
import { bodyCheck } from './json-body.ts'
import { answerBrokenRequest, takeJsonBodies } from './request-bodies.ts'
import { refuseOtherRoutes } from './routes/route.ts'
import type { HostLog } from './telemetry/log.ts'
import type { TlsOptions } from './tls.ts'

export type BareParts = {
  log: HostLog
  tls?: TlsOptions
  limits?: ListenerLimits
  metrics: { limitReached: LimitReached }
  gate?: Gate
}

/** Answers a request before Fastify sees it. Returns false for requests that Fastify should handle. */
export type Gate = (request: IncomingMessage, response: ServerResponse) => boolean

/** Bodies are JSON of at most 64 KiB by default. */
export const bareApp = ({ log, tls, limits = usualLimits, metrics, gate = letIn }: BareParts): FastifyInstance => {
  const { limitReached } = metrics
  const app: FastifyInstance = fastify({
    serverFactory: handler => limitedServer(gated(gate, handler), { limits, tls, limitReached }),
    bodyLimit: 65_536,
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => randomUUID(),
    // A stopping host still answers requests on open connections.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, log),
    frameworkErrors: (error, request, reply) => answer(error, request as FastifyRequest, reply as FastifyReply),
    routerOptions: { maxParamLength: 1_024 },
    schemaController: { compilersFactory: { buildValidator: notCompiled, buildSerializer: notCompiled } },
  })
  app.setValidatorCompiler(({ schema }) => bodyCheck(schema as Fitting))
  takeJsonBodies(app, limits.bodyBytes, () => limitReached('bodyBytes'))
  app.setErrorHandler(answer)
  refuseOtherRoutes(app)
  return app
}

const letIn: Gate = () => false

const gated =
  (gate: Gate, handler: RequestListener): RequestListener =>
  (request, response) => {
    if (!gate(request, response)) handler(request, response)
  }

/** Replaces Fastify's schema compilers, which take 10 ms to load. Checks of bodies are generated, and answers have no schema. */
const notCompiled = (): never => {
  throw new Error('schemas are not compiled here')
}

const answer = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
  const prepared = answerWith(error, { requestId: request.id, log: request.log })
  const { status, headers, body } = closingIfUnread(request.raw, prepared)
  reply.code(status).headers(headers).send(body)
}
