// A Fastify app without routes: how bodies are read and checked, how long requests may take, how errors are answered. The routes are
// in routes/.
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
import { bodyCheck } from './bodies/body-check.ts'
import { answerBrokenRequest } from './bodies/broken-requests.ts'
import { takeJsonBodies } from './bodies/request-bodies.ts'
import { answerWith, closingIfUnread } from './errors.ts'
import { refuseOtherRoutes } from './routes/route.ts'
import type { HostLog } from './telemetry/log.ts'
import type { TlsOptions } from './tls/tls.ts'

export type BareParts = {
  log: HostLog
  tls?: TlsOptions
  limits?: ListenerLimits
  metrics: { limitReached: LimitReached }
  gate?: Gate
}

/** Answers a request before Fastify sees it; false lets it in. */
export type Gate = (request: IncomingMessage, response: ServerResponse) => boolean

/** Bodies are JSON of at most 64 KiB unless a route says otherwise. */
export const bareApp = ({ log, tls, limits = usualLimits, metrics, gate = letIn }: BareParts): FastifyInstance => {
  const { limitReached } = metrics
  const app: FastifyInstance = fastify({
    serverFactory: handler => limitedServer(gated(gate, handler), { limits, tls, limitReached }),
    bodyLimit: 65_536,
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => randomUUID(),
    // While the host stops, requests on open connections are still answered.
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

/** Replaces Fastify's schema compilers, which take 10 ms to load: body checks are generated, and answers have no schema. */
const notCompiled = (): never => {
  throw new Error('schemas are not compiled here')
}

const answer = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
  const told = answerWith(error, { requestId: request.id, log: request.log })
  const { status, headers, body } = closingIfUnread(request.raw, told)
  reply.code(status).headers(headers).send(body)
}
