// A Fastify app without routes: how bodies are read and checked, how long requests may take, how errors are answered. The routes are
// in routes/.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify'
import { type Fitting, type Misfit, misfit } from '../api/fit.ts'
import type { Log } from '../core/log.ts'
import { lineOf, valueText } from '../core/text/text.ts'
import { type LimitReached, type ListenerLimits, limitedServer, usualLimits } from '../listener/server.ts'
import { takeJsonBodies } from './bodies/request-bodies.ts'
import { answerWith, closingIfUnread, type RefusalCode, Refused } from './errors.ts'
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

// Checks bodies against the schemas of their routes. One sentence says what does not fit: the field, the value found, the values allowed.

const bodyCheck = (schema: Fitting) => (body: unknown) => {
  const found = misfit(schema, body)
  return found === undefined || { error: new Refused('badBody', { detail: bodyFault(found) }) }
}

const bodyFault = (found: Misfit): string => {
  const sentence = { ...plainly(found), ...sentences[found.keyword]?.(found) }
  return `${sentence.field}: found ${sentence.found}, allowed: ${sentence.allowed}`
}

type Sentence = { field: string; found: string; allowed: string }

const plainly = ({ path, field, value, schema, keyword }: Misfit): Sentence => ({
  field: lineOf(['body', ...path, ...(field === undefined ? [] : [field])].join('.')),
  found: valueText(value),
  allowed: schema.description ?? keyword,
})

/** Keywords whose misfit is that of the map though it is about one of its fields, or that list the allowed values. */
const sentences: Readonly<Partial<Record<keyof Fitting, (found: Misfit) => Partial<Sentence>>>> = {
  required: ({ schema, field = '' }) => ({
    found: 'nothing',
    allowed: schema.properties?.[field]?.description ?? 'anything',
  }),
  additionalProperties: ({ schema }) => ({
    found: 'an unknown field',
    allowed: Object.keys(schema.properties ?? {}).join(', '),
  }),
  enum: ({ schema }) => ({ allowed: (schema.enum ?? []).join(', ') }),
}

// Answers bytes that never became a request: they came too slowly, had too many headers, or were no HTTP. Fastify has no reply object
// for them, only the socket.

const codes: ReadonlyMap<string, RefusalCode> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 'slowSender'],
  ['HPE_HEADER_OVERFLOW', 'headersTooLarge'],
])

/** Answers in the same form as every other error, if the socket is still open, and closes the connection. */
const answerBrokenRequest = (error: NodeJS.ErrnoException, socket: Socket, log: Log): void => {
  if (socket.writable) {
    const refused = new Refused(codes.get(error.code ?? '') ?? 'badRequest')
    const { status, body } = answerWith(refused, { requestId: randomUUID(), log })
    const text = JSON.stringify(body)
    const head = `HTTP/1.1 ${status} \r\ncontent-type: application/json\r\nconnection: close\r\n`
    socket.write(`${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }
  socket.destroy()
}
