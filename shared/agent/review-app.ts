// Serves `POST /validate/MANAGER` for the runtime's API server. Answers each review at once, and reports to the control plane afterwards.
import type { FastifyInstance } from 'fastify'
import type { ResourcePart, RuntimeEvent } from '../api/kyma/runtime-event.ts'
import { type BareParts, bareApp } from '../http/bare-app.ts'
import { Refused } from '../http/errors.ts'
import { type OwnRoute, serveRoute } from '../http/routes/route.ts'
import type { AgentMetrics } from './metrics.ts'

type ReviewedChange = { readonly event: RuntimeEvent; readonly resource: ResourcePart }

type ReviewAnswer = { readonly code: 200 | 400; readonly body: object; readonly change?: ReviewedChange }

export type ReviewAppParts = BareParts & {
  metrics: Pick<AgentMetrics, 'reviewed' | 'limitReached'>
  review(body: unknown): ReviewAnswer
  /** Called before the review is answered. The callback must not wait. */
  changed(manager: string, change: ReviewedChange): void
}

export const reviewApp = (parts: ReviewAppParts): FastifyInstance => {
  const app = bareApp(parts)
  serveRoute(app, reviewRoute(parts))
  for (const url of ['/validate', '/validate/']) serveRoute(app, namelessRoute(url, parts))
  return app
}

/** Limit for a review, which contains an object, its old version, and data of the API server. */
const reviewBytesMost = 7 * 2 ** 20

const about = {
  summary: 'Sends the change of a watched object to the control plane',
  answers: { 200: { description: 'AdmissionReview' } },
}

const counted = ({ metrics }: ReviewAppParts): Pick<OwnRoute, 'onResponse'> => ({
  onResponse: async (_, reply) => metrics.reviewed({ status: reply.statusCode, seconds: reply.elapsedTime / 1_000 }),
})

const reviewRoute = (parts: ReviewAppParts): OwnRoute => ({
  method: 'POST',
  url: '/validate/:manager',
  about,
  bodyLimit: reviewBytesMost,
  ...counted(parts),
  handler: async (request, reply) => {
    const { manager } = request.params as { manager: string }
    const { code, body, change } = parts.review(request.body)
    if (change) parts.changed(manager, change)
    return reply.code(code).send(body)
  },
})

const namelessRoute = (url: string, parts: ReviewAppParts): OwnRoute => ({
  method: 'POST',
  url,
  about,
  ...counted(parts),
  onRequest: async () => {
    throw new Refused('badRequest', { detail: 'the path contains no manager' })
  },
  handler: async () => {},
})
