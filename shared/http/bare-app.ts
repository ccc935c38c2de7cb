// A Fastify app without routes: how bodies are read and checked, how long anything may take, how errors are answered.
// What is served, and to whom, is in the files named routes-*.ts.
import { randomUUID } from 'node:crypto'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify'
import { bodyCheck } from './body-check.ts'
import { answerBrokenRequest } from './broken-requests.ts'
import { answerWith, Refused } from './errors.ts'
import { parsedBody } from './json-body.ts'
import type { HostLog } from './log.ts'
import { refuseOtherRoutes } from './route.ts'
import type { TlsOptions } from './tls.ts'

/** Milliseconds a request may take to arrive, and how often that is looked at. */
export type Arrival = { requestTimeout: number; connectionsCheckingInterval: number }

const arrival: Arrival = { requestTimeout: 10_000, connectionsCheckingInterval: 1_000 }

export type BareParts = { log: HostLog; tls?: TlsOptions; arrival?: Arrival }

/** Bodies are JSON of at most 64 KiB unless a route says otherwise. */
export const bareApp = ({ log, tls, arrival: times = arrival }: BareParts): FastifyInstance => {
  const server = { ...times, headersTimeout: times.requestTimeout }
  const app: FastifyInstance = fastify({
    ...(tls ? { https: { ...tls, ...server } } : { http: server }),
    requestTimeout: times.requestTimeout,
    bodyLimit: 65_536,
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => randomUUID(),
    // Requests that come over open connections while the host ends are answered, not turned away.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, log),
    frameworkErrors: (error, request, reply) => answer(error, request as FastifyRequest, reply as FastifyReply),
    routerOptions: { maxParamLength: 1_024 },
    schemaController: { compilersFactory: { buildValidator: notCompiled, buildSerializer: notCompiled } },
  })
  app.setValidatorCompiler(({ schema }) => bodyCheck(schema))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_: unknown, bytes: Buffer) =>
    parsedBody(bytes),
  )
  app.setErrorHandler(answer)
  app.addHook('onRequest', async request => refuseEncoded(request))
  refuseOtherRoutes(app)
  return app
}

/** In the place of Fastify's compilers, which take 10 ms to load: bodies have checks made ahead, answers no schema. */
const notCompiled = (): never => {
  throw new Error('schemas are not compiled here')
}

/** A compressed body could unfold into any size. */
const refuseEncoded = ({ headers }: FastifyRequest): void => {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') throw new Refused('encoding')
}

const answer = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
  const { status, headers, body } = answerWith(error, { requestId: request.id, log: request.log })
  reply.code(status).headers(headers).send(body)
}
