// The agent's metrics, with the names that dashboards of the Go agent use.
import { getFips } from 'node:crypto'
import { programMetrics, type ServedMetrics } from '../listener/metrics.ts'
import type { FailureReason } from './control-plane.ts'

export type AgentMetrics = ServedMetrics & {
  reviewed(review: { status: number; seconds: number }): void
  posted(): void
  failed(reason: FailureReason): void
}

/** `queueLength` is called at each scrape. */
export const agentMetrics = (queueLength: () => number): AgentMetrics => {
  const { served, counter, gauge, readGauge } = programMetrics()
  const reviews = counter('watcher_admission_request_total', 'Number of answered AdmissionReviews')
  const faults = counter('watcher_admission_request_error_total', 'Number of invalid AdmissionReviews')
  const duration = gauge('watcher_request_duration', 'Duration of the last AdmissionReview in seconds')
  gauge('watcher_fips_mode', 'Whether OpenSSL runs in FIPS mode (0: off, 1: on)').set(getFips())
  const posts = counter('watcher_kcp_requests_total', 'Number of events sent to the control plane')
  const failures = counter(
    'watcher_failed_kcp_total',
    'Number of events that the control plane did not accept, by reason',
    'error_reason',
  )
  readGauge('watcher_queue_length', 'Number of events that wait for delivery to the control plane', queueLength)
  return {
    ...served,
    reviewed: ({ status, seconds }) => {
      reviews.inc()
      duration.set(seconds)
      if (status >= 400) faults.inc()
    },
    posted: () => posts.inc(),
    failed: error_reason => failures.inc({ error_reason }),
  }
}
