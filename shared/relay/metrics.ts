// The metrics of the relay. Where client-go has a name for one, it is that name, so dashboards for controllers work.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { ClusterName } from '../core/objects/object.ts'
import { requestMetric } from '../kube/connection/request-metric.ts'
import { limitMetric } from '../listener/limit-metric.ts'
import type { LimitReached } from '../listener/server.ts'
import type { Lane } from './queue/dispatch.ts'
import type { ClusterReach } from './remote-clusters/remote-cluster.ts'
import type { InterruptionCause } from './watches/interruptions.ts'

export type RelayMetrics = {
  /** Every scrape reads the queues of these lanes. */
  read(lanes: readonly Lane[]): void
  taken(lane: Lane, waitedSeconds: number): void
  resumed(kind: string, cause: InterruptionCause): void
  reached(cluster: ClusterName, reach: ClusterReach): void
  requestEnds(request: { code: string; method: string }): void
  limitReached: LimitReached
  shardsHeld(count: () => number): void
  /** The answer to `GET /metrics`. */
  text(): Promise<string>
  contentType: string
}

/** So many kinds are named. Whoever writes Components may have dependents of any kind, and other ones each day. */
const kindsMost = 100

const waits = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300]

/** Has its own registry, because a host may run in the same process. */
export const relayMetrics = (): RelayMetrics => {
  const registry = new Registry()
  const all = { registers: [registry] }
  collectDefaultMetrics({ register: registry })
  const waited = new Histogram({
    ...all,
    name: 'workqueue_queue_duration_seconds',
    help: 'How long keys were ready before they were called',
    labelNames: ['name'],
    buckets: waits,
  })
  const kinds = new Set<string>()
  const resumes = new Counter({
    ...all,
    name: 'espalier_watch_resumes_total',
    help: 'Watches that were interrupted and begun again, by cause',
    labelNames: ['kind', 'cause'],
  })
  const clusters = new Gauge({
    ...all,
    name: 'espalier_remote_cluster_up',
    help: 'Whether all watches of a remote cluster work',
    labelNames: ['cluster'],
  })
  return {
    read: lanes => readQueues(registry, lanes),
    taken: ({ name }, seconds) => waited.observe({ name }, seconds),
    resumed: (kind, cause) => {
      if (kinds.size < kindsMost) kinds.add(kind)
      resumes.inc({ kind: kinds.has(kind) ? kind : 'other', cause })
    },
    reached: (cluster, reach) =>
      reach === 'ended' ? clusters.remove({ cluster }) : clusters.set({ cluster }, reach === 'up' ? 1 : 0),
    requestEnds: requestMetric(registry),
    limitReached: limitMetric(registry),
    shardsHeld: count => readShards(registry, count),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

/** The queues count; every scrape reads their current numbers. */
const readQueues = (registry: Registry, lanes: readonly Lane[]): void => {
  const all = { registers: [registry], labelNames: ['name'] }
  new Gauge({
    ...all,
    name: 'workqueue_depth',
    help: 'Keys that are ready to be called',
    collect() {
      for (const { name, queue } of lanes) this.set({ name }, queue.depth)
    },
  })
  new Counter({
    ...all,
    name: 'workqueue_adds_total',
    help: 'Keys that became ready to be called',
    collect() {
      this.reset()
      for (const { name, queue } of lanes) this.inc({ name }, queue.counts.adds)
    },
  })
  new Counter({
    ...all,
    name: 'workqueue_retries_total',
    help: 'Calls that failed and are tried again',
    collect() {
      this.reset()
      for (const { name, queue } of lanes) this.inc({ name }, queue.counts.retries)
    },
  })
}

const readShards = (registry: Registry, count: () => number): Gauge =>
  new Gauge({
    registers: [registry],
    name: 'espalier_relay_shards_held',
    help: 'Shards this relay serves',
    collect() {
      this.set(count())
    },
  })
