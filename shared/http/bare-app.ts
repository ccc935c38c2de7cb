// A Fastify app without routes: how bodies are read and checked, how long requests may take, how errors are answered. The routes are
// in routes/.
import { randomUUID } from 'node:crypto'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify'
import { announcedLength } from '../listener/receive-body.ts'
import { type LimitReached, type ListenerLimits, limitedServer, usualLimits } from '../listener/server.ts'
import { bodyCheck } from './bodies/body-check.ts'
import { answerBrokenRequest } from './bodies/broken-requests.ts'
import { takeJsonBodies } from './bodies/request-bodies.ts'
import { answerWith } from './errors.ts'
import { refuseOtherRoutes } from './routes/route.ts'
import type { HostLog } from './telemetry/log.ts'
import type { TlsOptions } from './tls/tls.ts'

export type BareParts = {
  log: HostLog
  tls?: TlsOptions
  limits?: ListenerLimits
  metrics: { limitReached: LimitReached }
}

/** Bodies are JSON of at most 64 KiB unless a route says otherwise. */
export const bareApp = ({ log, tls, limits = usualLimits, metrics: { limitReached } }: BareParts): FastifyInstance => {
  const app: FastifyInstance = fastify({
    serverFactory: handler => limitedServer(handler, { limits, tls, limitReached }),
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
  app.setValidatorCompiler(({ schema }) => bodyCheck(schema))
  takeJsonBodies(app, limits.bodyBytes, () => limitReached('bodyBytes'))
  app.setErrorHandler(answer)
  refuseOtherRoutes(app)
  return app
}

/** Replaces Fastify's schema compilers, which take 10 ms to load: body checks are generated, and answers have no schema. */
const notCompiled = (): never => {
  throw new Error('schemas are not compiled here')
}

/** When a body was not read to its end, its connection is closed with the answer, or what is left of the body is passed over. */
const answer = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
  const { status, headers, body, keepsConnection } = answerWith(error, { requestId: request.id, log: request.log })
  const staysOpen = request.raw.complete || (keepsConnection && isShort(request))
  reply
    .code(status)
    .headers(staysOpen ? headers : { ...headers, connection: 'close' })
    .send(body)
}

const shortBytesMost = 16_384

const isShort = ({ raw }: FastifyRequest): boolean =>
  (announcedLength(raw) ?? Number.POSITIVE_INFINITY) <= shortBytesMost
