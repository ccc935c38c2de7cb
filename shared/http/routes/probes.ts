// Routes for probes, scrapers and users. Their data is not secret.
import type { FastifyInstance } from 'fastify'
import type { HostReadiness } from '../readiness.ts'
import type { HostMetrics } from '../telemetry/metrics.ts'
import { type Described, type OwnRoute, openapiDocument, serveRoute } from './route.ts'

type ProbeRoutes = {
  readiness: Pick<HostReadiness, 'faults'>
  metrics: Pick<HostMetrics, 'text' | 'contentType'>
  version: string
  functions: readonly string[]
  /** The described routes. The list grows while routes are added. */
  described: readonly Described[]
}

export const serveProbes = (app: FastifyInstance, parts: ProbeRoutes): void => {
  for (const route of probeRoutes(parts)) serveRoute(app, route)
}

const probeRoutes = ({ readiness, metrics, version, functions, described }: ProbeRoutes): readonly OwnRoute[] => [
  {
    method: 'GET',
    url: '/livez',
    about: { summary: 'Whether the process is alive', answers: { 200: { description: 'It does' } } },
    handler: async () => ({ live: true }),
  },
  {
    method: 'GET',
    url: '/readyz',
    about: {
      summary: 'Whether the process is ready for calls',
      answers: { 200: { description: 'Yes' }, 503: { description: 'Not ready; the failed checks by name' } },
    },
    handler: async (_, reply) => {
      const faults = await readiness.faults()
      const isReady = Object.keys(faults).length === 0
      return reply.code(isReady ? 200 : 503).send({ ready: isReady, faults })
    },
  },
  {
    method: 'GET',
    url: '/metrics',
    about: {
      summary: 'Metrics for Prometheus',
      answers: { 200: { description: 'The text format', type: 'text/plain', schema: { type: 'string' } } },
    },
    handler: async (_, reply) => reply.type(metrics.contentType).send(await metrics.text()),
  },
  {
    method: 'GET',
    url: '/version',
    about: { summary: 'Version and functions of this program', answers: { 200: { description: 'They are' } } },
    handler: async () => ({ version, node: process.version, functions }),
  },
  {
    method: 'GET',
    url: '/openapi.json',
    about: { summary: 'This document', answers: { 200: { description: 'OpenAPI 3.1' } } },
    handler: async () => openapiDocument(described, version),
  },
]
