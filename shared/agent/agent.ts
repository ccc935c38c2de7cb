// The agent in a Kyma runtime. The runtime's API server sends a review before each change of a watched object, and the agent reports the
// object to the control plane. The agent stores nothing, so the control plane reads everything again after each start of the agent.
import type { AddressInfo } from 'node:net'
import type { SecureContextOptions, Server as TlsServer } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import type { RuntimeEvent, WatchedResource } from '../api/kyma/runtime-event.ts'
import type { KubeObject } from '../core/objects/object.ts'
import { bareApp } from '../http/bare-app.ts'
import { closeConnectionsAtEnd, type HostReadiness, stopped } from '../http/readiness.ts'
import { serveProbes } from '../http/routes/probes.ts'
import type { HostLog } from '../http/telemetry/log.ts'
import type { Client } from '../kube/client-types.ts'
import type { ListenerLimits } from '../listener/server.ts'
import { type RelayClock, systemClock } from '../relay/time/clock.ts'
import type { AgentCertificate, ControlPlane, CurrentCertificate } from './control-plane.ts'
import { startDelivery } from './delivery.ts'
import { EventQueue } from './event-queue.ts'
import { type AgentMetrics, agentMetrics } from './metrics.ts'
import { type ReviewAppParts, reviewApp } from './review-app.ts'
import { watchRuntime } from './watches.ts'

type AgentParts = {
  decides: {
    review: ReviewAppParts['review']
    watchedIn(configuration: KubeObject): readonly WatchedResource[]
  }
  client: Client
  sources: readonly ('watch' | 'admission')[]
  certificate: CurrentCertificate
  controlPlane: ControlPlane
  /** Port 0: chosen by the system. */
  ports: { webhook: number; metrics: number }
  /** The address to listen on. Default: all. */
  listenHost?: string
  version: string
  log: HostLog
  clock?: RelayClock
  graceSeconds?: number
}

export type RunningAgent = {
  readonly ports: { readonly webhook: number; readonly metrics: number }
  /** Resolves when the agent serves no more requests. The full sync after the next start makes up for lost events. */
  stop(): Promise<void>
}

/** Suitable for the memory limit of the agent's Deployment, 200 MiB. */
const limits: ListenerLimits = { connections: 256, bodyBytes: 24 * 2 ** 20, arrivalSeconds: 10 }

/** Resolves when the agent listens. Rejects without a certificate. */
export const startAgent = async (parts: AgentParts): Promise<RunningAgent> => {
  const { certificate, controlPlane, log, version, decides } = parts
  const first = certificate()
  if (first === undefined) throw new Error('there is no certificate')
  const queue = new EventQueue()
  const metrics = agentMetrics(() => queue.length)
  const reporting = startReporting(parts, { queue, metrics })
  const ready = agentReadiness()
  const { changed } = reporting
  const reviews = reviewApp({ log, tls: tlsOf(first), limits, metrics, review: decides.review, changed })
  closeConnectionsAtEnd(reviews, ready)
  certificateKeptFresh(reviews, { certificate, used: first })
  const probes = bareApp({ log, metrics })
  serveProbes(probes, { readiness: ready, metrics, version, functions: ['runtime-watcher'], described: [] })
  const { listenHost: host = '' } = parts
  await reviews.listen({ port: parts.ports.webhook, host })
  await probes.listen({ port: parts.ports.metrics, host })
  const ports = { webhook: portOf(reviews), metrics: portOf(probes) }
  log.info({ ports }, 'listening')
  return {
    ports,
    stop: async () => {
      reporting.stop()
      const graceSeconds = parts.graceSeconds ?? 5
      await stopped({ apps: [reviews, probes], readiness: ready, drainSeconds: 0, graceSeconds, log })
      await controlPlane.close()
    },
  }
}

/** The event of a review is sent again after this time, because the API server commits the change after the review. */
const commitMilliseconds = 2_000

type Reporting = Pick<ReviewAppParts, 'changed'> & { stop(): void }

const startReporting = (
  parts: AgentParts,
  { queue, metrics }: { queue: EventQueue; metrics: AgentMetrics },
): Reporting => {
  const { client, controlPlane, log, clock = systemClock, sources, decides } = parts
  const delivery = startDelivery({ queue, controlPlane, clock, metrics, log })
  const enqueue = (manager: string, event: RuntimeEvent, againAt?: number): void => {
    if (queue.add({ manager, event }, againAt)) delivery.hasNews()
    else log.warn({ manager }, 'too many managers: the event for this manager is dropped')
  }
  const watches = watchRuntime({
    client,
    clock,
    log,
    report: enqueue,
    watchedIn: decides.watchedIn,
    watchesResources: sources.includes('watch'),
    managers: names => queue.keepOnly(names),
  })
  return {
    changed: (manager, { event, resource }) => {
      const isNeedless = watches.knows(manager) === false || watches.sees(manager, resource)
      if (isNeedless || !sources.includes('admission')) return
      enqueue(manager, event, clock.monotonic() + commitMilliseconds)
    },
    stop: () => {
      watches.stop()
      delivery.stop()
    },
  }
}

const tlsOf = ({ certificate, key }: AgentCertificate): SecureContextOptions => ({
  cert: certificate,
  key,
  minVersion: 'TLSv1.3',
  ca: [],
})

type Fresh = { certificate: CurrentCertificate; used: AgentCertificate | undefined }

/** Checks the files before each handshake, so that new connections get the current certificate. */
const certificateKeptFresh = (app: FastifyInstance, { certificate, used }: Fresh): void => {
  let current = used
  const server = app.server as unknown as TlsServer
  server.prependListener('connection', () => {
    const now = certificate()
    if (now === undefined || now === current) return
    current = now
    server.setSecureContext(tlsOf(now))
  })
}

const agentReadiness = (): HostReadiness => {
  let isEnding = false
  return {
    faults: async (): Promise<Record<string, string>> => (isEnding ? { agent: 'it is shutting down' } : {}),
    ends: () => {
      isEnding = true
    },
    get isEnding() {
      return isEnding
    },
  }
}

const portOf = (app: FastifyInstance): number => (app.server.address() as AddressInfo).port
