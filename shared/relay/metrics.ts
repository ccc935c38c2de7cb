// The relay's metrics, with names of client-go if client-go has such a metric, so that existing dashboards for controllers work.
import { Counter, Gauge, type Registry } from 'prom-client'
import { fewNames } from '../core/bounds/counts.ts'
import type { ClusterName } from '../core/objects/object.ts'
import { requestMetric } from '../kube/connection/request-metric.ts'
import { programMetrics, type ServedMetrics } from '../listener/metrics.ts'
import type { Lane } from './queue/dispatch.ts'
import type { ClusterReach } from './remote-clusters/remote-cluster.ts'
import type { RelayClock } from './time/clock.ts'
import type { InterruptionCause } from './watches/interruptions.ts'

export type RelayMetrics = ServedMetrics & {
  /** Each scrape reads the queues of these lanes. */
  read(lanes: readonly Lane[], clock: Pick<RelayClock, 'monotonic'>): void
  taken(lane: Lane, waitedSeconds: number): void
  ended(lane: Lane, workedSeconds: number): void
  resumed(kind: string, cause: InterruptionCause): void
  reached(cluster: ClusterName, reach: ClusterReach): void
  requestEnds(request: { code: string; method: string }): void
  shardsHeld(count: () => number): void
}

const waits = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300]

export const relayMetrics = (): RelayMetrics => {
  const { registry, served, counter, gauge, histogram, readGauge } = programMetrics()
  const waited = histogram(
    'workqueue_queue_duration_seconds',
    'Time that keys waited in the queue, in seconds',
    'name',
    waits,
  )
  const worked = histogram('workqueue_work_duration_seconds', 'Duration of calls in seconds', 'name', waits)
  /** Limits the kinds in labels, because authors of Components choose the kinds of dependents. */
  const kindShown = fewNames()
  const resumes = counter(
    'espalier_watch_resumes_total',
    'Number of interrupted and restarted watches, by cause',
    'kind',
    'cause',
  )
  const clusters = gauge(
    'espalier_remote_cluster_up',
    'Whether all watches of a remote cluster are established',
    'cluster',
  )
  return {
    ...served,
    read: (lanes, clock) => {
      for (const row of laneRows) readLanes(registry, row, { lanes, clock })
    },
    taken: ({ name }, seconds) => waited.observe({ name }, seconds),
    ended: ({ name }, seconds) => worked.observe({ name }, seconds),
    resumed: (kind, cause) => resumes.inc({ kind: kindShown(kind), cause }),
    reached: (cluster, reach) =>
      reach === 'ended' ? clusters.remove({ cluster }) : clusters.set({ cluster }, reach === 'up' ? 1 : 0),
    requestEnds: requestMetric(registry),
    shardsHeld: count => readGauge('espalier_relay_shards_held', 'Number of shards that this relay serves', count),
  }
}

type LaneRow = {
  readonly name: string
  readonly help: string
  readonly type?: 'counter'
  readonly label?: 'controller'
  readonly value: (lane: Lane, now: number) => number
}

const laneRows: readonly LaneRow[] = [
  { name: 'workqueue_depth', help: 'Number of keys in the queue', value: ({ queue }) => queue.depth },
  {
    name: 'workqueue_adds_total',
    help: 'Number of keys that were added to the queue',
    type: 'counter',
    value: ({ queue }) => queue.counts.adds,
  },
  {
    name: 'workqueue_retries_total',
    help: 'Number of failed calls that are retried',
    type: 'counter',
    value: ({ queue }) => queue.counts.retries,
  },
  {
    name: 'workqueue_unfinished_work_seconds',
    help: 'Total duration so far of the running calls, in seconds',
    value: ({ queue }, now) => queue.runningSeconds(now).reduce((sum, seconds) => sum + seconds, 0),
  },
  {
    name: 'workqueue_longest_running_processor_seconds',
    help: 'Duration so far of the longest running call, in seconds',
    value: ({ queue }, now) => queue.runningSeconds(now).reduce((most, seconds) => Math.max(most, seconds), 0),
  },
  {
    name: 'controller_runtime_max_concurrent_reconciles',
    help: 'Maximum number of concurrent calls of this relay',
    label: 'controller',
    value: ({ concurrency }) => concurrency,
  },
]

type Read = { readonly lanes: readonly Lane[]; readonly clock: Pick<RelayClock, 'monotonic'> }

const readLanes = (registry: Registry, row: LaneRow, { lanes, clock }: Read): void => {
  const { name, help, label = 'name', value } = row
  const Metric: typeof Counter | typeof Gauge = row.type === 'counter' ? Counter : Gauge
  new Metric({
    registers: [registry],
    name,
    help,
    labelNames: [label],
    collect(this: Counter | Gauge) {
      this.reset()
      for (const lane of lanes) this.inc({ [label]: lane.name }, value(lane, clock.monotonic()))
    },
  })
}
