// POST /webhooks/…: admission reviews of the API server.
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import { admit } from '../../runtime/admit.ts'
import { gatherContext, type ProcessContext } from '../../runtime/context.ts'
import type { AdmissionFunction } from '../../runtime/definition.ts'
import { continuedTrace } from '../../trace/trace.ts'
import { timed } from '../call-limits.ts'
import { budget } from '../calls.ts'
import { Refused } from '../errors.ts'
import type { HostMetrics } from '../telemetry/metrics.ts'
import { type OwnRoute, serveRoute } from './route.ts'

export type ServedWebhook = {
  definition: AdmissionFunction
  context: ProcessContext
  path: string
  timeoutSeconds: number
}

type WebhookRoutes = {
  webhooks: readonly ServedWebhook[]
  metrics: HostMetrics
  /** If set, callers need a client certificate. If the list is not empty, the certificate must have one of these names. */
  clientNames?: readonly string[]
}

/** A review contains an object, its old version, and data of the API server. */
const reviewLimit = 7 * 2 ** 20

export const serveWebhooks = (app: FastifyInstance, parts: WebhookRoutes): void => {
  const { clientNames } = parts
  if (clientNames) app.addHook('onRequest', async ({ socket }) => checkClientCertificate(socket, clientNames))
  for (const webhook of parts.webhooks) serveRoute(app, reviewRoute(webhook, parts))
}

const reviewRoute = (webhook: ServedWebhook, { metrics }: WebhookRoutes): OwnRoute => ({
  method: 'POST',
  url: `/webhooks/${webhook.path}`,
  about: {
    summary: `Reviews ${webhook.definition.kind.kind} for ${webhook.definition.name}`,
    answers: { 200: { description: 'AdmissionReview with the response', schema: reviewSchema } },
  },
  bodyLimit: reviewLimit,
  onResponse: async (_, reply) =>
    metrics.reviewEnds({
      webhook: `/webhooks/${webhook.path}`,
      code: reply.statusCode,
      seconds: reply.elapsedTime / 1_000,
    }),
  handler: async (request, reply) => {
    const { traceId, traceparent } = continuedTrace(request.headers.traceparent)
    const { lastRequestAt } = budget(webhook.timeoutSeconds, performance.now() - reply.elapsedTime)
    const { code, body } = await timed(lastRequestAt - performance.now(), async signal => {
      const context = await gatherContext(webhook.context, webhook.definition, {
        signal,
        lastRequestAt,
        traceparent,
      })
      // Called only when needed, because creating a child logger costs more than the rest of a review.
      const log = () => request.log.child({ function: webhook.definition.name, trace: traceId })
      return admit(webhook.definition, request.body, { ...context, log })
    })
    return reply.code(code).send(body)
  },
})

const reviewSchema = {
  type: 'object',
  required: ['apiVersion', 'kind', 'response'],
  properties: {
    apiVersion: { enum: ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'] },
    kind: { const: 'AdmissionReview' },
    response: {
      type: 'object',
      required: ['uid', 'allowed'],
      properties: { uid: { type: 'string' }, allowed: { type: 'boolean' } },
    },
  },
}

/**
 * Throws Refused unless the certificate is from a configured CA and has one of the names. TLS has verified chain, dates and key. A failed
 * verification does not end the handshake but is answered with 401, so that the caller gets the reason.
 */
const checkClientCertificate = (socket: Socket, names: readonly string[]): void => {
  if (!(socket instanceof TLSSocket) || !socket.authorized) {
    const cause = socket instanceof TLSSocket ? socket.authorizationError : undefined
    throw new Refused('unauthenticated', { detail: 'the request needs a client certificate of the API server', cause })
  }
  const name = socket.getPeerCertificate().subject?.CN
  if (names.length > 0 && !names.some(allowed => allowed === name)) throw new Refused('forbidden')
}
