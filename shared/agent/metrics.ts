// The agent's metrics, with the names that dashboards of the Go agent use.
import { getFips } from 'node:crypto'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { limitMetric } from '../listener/limit-metric.ts'
import type { LimitReached } from '../listener/server.ts'
import type { FailureReason } from './events/control-plane.ts'

export type AgentMetrics = {
  reviewed(review: { status: number; seconds: number }): void
  posted(): void
  failed(reason: FailureReason): void
  limitReached: LimitReached
  text(): Promise<string>
  contentType: string
}

/** `queueLength` is called at each scrape. */
export const agentMetrics = (queueLength: () => number): AgentMetrics => {
  const registry = new Registry()
  const all = { registers: [registry] }
  collectDefaultMetrics({ register: registry })
  const reviews = new Counter({
    ...all,
    name: 'watcher_admission_request_total',
    help: 'Number of answered AdmissionReviews',
  })
  const faults = new Counter({
    ...all,
    name: 'watcher_admission_request_error_total',
    help: 'Number of invalid AdmissionReviews',
  })
  const duration = new Gauge({
    ...all,
    name: 'watcher_request_duration',
    help: 'Duration of the last AdmissionReview in seconds',
  })
  const fips = new Gauge({
    ...all,
    name: 'watcher_fips_mode',
    help: 'Whether OpenSSL runs in FIPS mode (0: off, 1: on)',
  })
  fips.set(getFips())
  const posts = new Counter({
    ...all,
    name: 'watcher_kcp_requests_total',
    help: 'Number of events sent to the control plane',
  })
  const failures = new Counter({
    ...all,
    name: 'watcher_failed_kcp_total',
    help: 'Number of events that the control plane did not accept, by reason',
    labelNames: ['error_reason'],
  })
  new Gauge({
    ...all,
    name: 'watcher_queue_length',
    help: 'Number of events that wait for delivery to the control plane',
    collect() {
      this.set(queueLength())
    },
  })
  return {
    reviewed: ({ status, seconds }) => {
      reviews.inc()
      duration.set(seconds)
      if (status >= 400) faults.inc()
    },
    posted: () => posts.inc(),
    failed: error_reason => failures.inc({ error_reason }),
    limitReached: limitMetric(registry),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}
