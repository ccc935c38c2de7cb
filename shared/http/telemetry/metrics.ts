// The host's metrics, with controller-runtime's names, so that dashboards for controller-runtime work.
import { getFips } from 'node:crypto'
import { Counter, Gauge, type Registry } from 'prom-client'
import { firstRow } from '../../core/decisions/checks.ts'
import type { Measurement, Metric } from '../../core/decisions/measurement.ts'
import type { Outcome } from '../../core/decisions/outcome.ts'
import { requestMetric } from '../../kube/connection/request-metric.ts'
import { type ProgramMetrics, programMetrics, type ServedMetrics } from '../../listener/metrics.ts'
import { functionMetrics, seenMetrics } from './function-metrics.ts'

type CallEnd = Outcome | 'thrown'

export type HostMetrics = ServedMetrics & {
  /** Starts the measurement of a call. The returned function ends the measurement. */
  callBegins(controller: string): (end: CallEnd) => void
  /** Exposes metrics of a function. The returned function applies measurements. */
  declared(metrics: readonly Metric[]): (measurements: readonly Measurement[]) => void
  /** Exposes metrics that are read at each scrape. */
  seen(metrics: readonly Metric[], read: () => Promise<readonly Measurement[]>): void
  reviewEnds(review: { webhook: string; code: number; seconds: number }): void
  callbackBegins: CallbackBegins
  requestEnds(request: { code: string; method: string }): void
  servingCertificate(notAfter: Date): void
  /** Sets the source for the memory of renderers. */
  rendererMemory(bytes: () => Promise<number>): void
}

/** controller-runtime's result names. The first matching row counts. */
const results: readonly { when: (end: CallEnd) => boolean; result: string }[] = [
  { when: end => end === 'thrown', result: 'error' },
  { when: end => end !== 'thrown' && (end.outcome === 'failed' || end.outcome === 'stalled'), result: 'error' },
  { when: end => end !== 'thrown' && end.requeueAfterSeconds === 0, result: 'requeue' },
  { when: end => end !== 'thrown' && end.requeueAfterSeconds !== undefined, result: 'requeue_after' },
  { when: () => true, result: 'success' },
]

export const hostMetrics = (): HostMetrics => {
  const metrics = programMetrics()
  const { registry, served, gauge, readGauge } = metrics
  const certificate = gauge(
    'espalier_serving_certificate_not_after_seconds',
    'Expiry of the serving certificate in use, in Unix time',
  )
  gauge('lifecycle_mgr_fips_mode', 'Whether OpenSSL runs in FIPS mode (0: off, 1: on)').set(getFips())
  return {
    ...served,
    callBegins: callMetrics(metrics),
    declared: metrics => functionMetrics(registry, metrics),
    seen: (metrics, read) => seenMetrics(registry, metrics, read),
    reviewEnds: reviewMetrics(metrics),
    callbackBegins: callbackMetrics(registry),
    requestEnds: requestMetric(registry),
    servingCertificate: notAfter => certificate.set(notAfter.getTime() / 1000),
    rendererMemory: bytes =>
      readGauge(
        'espalier_renderer_resident_memory_bytes',
        'Memory of the renderer processes of this host, not included in process_resident_memory_bytes',
        bytes,
      ),
    text: sharedWhileMade(served.text),
  }
}

const callMetrics = ({ counter, gauge, histogram }: ProgramMetrics): HostMetrics['callBegins'] => {
  const total = counter('controller_runtime_reconcile_total', 'Calls per function and result', 'controller', 'result')
  const errors = counter(
    'controller_runtime_reconcile_errors_total',
    'Calls per function that ended in an error',
    'controller',
  )
  const time = histogram(
    'controller_runtime_reconcile_time_seconds',
    'Duration of calls per function',
    'controller',
    callBuckets,
  )
  const active = gauge('controller_runtime_active_workers', 'Running calls per function', 'controller')
  return controller => {
    const stopClock = time.startTimer({ controller })
    active.inc({ controller })
    return end => {
      stopClock()
      active.dec({ controller })
      const { result } = firstRow(results, end)
      total.inc({ controller, result })
      if (result === 'error') errors.inc({ controller })
    }
  }
}

const reviewMetrics = ({ counter, histogram }: ProgramMetrics): HostMetrics['reviewEnds'] => {
  const reviews = counter(
    'controller_runtime_webhook_requests_total',
    'Admission reviews per path and HTTP code',
    'webhook',
    'code',
  )
  const latency = histogram(
    'controller_runtime_webhook_latency_seconds',
    'Duration of admission reviews per path',
    'webhook',
    reviewBuckets,
  )
  return ({ webhook, code, seconds }) => {
    reviews.inc({ webhook, code })
    latency.observe({ webhook }, seconds)
  }
}

/** Concurrent callers share one text: with thousands of runtimes the text is long, and callers need no authentication. */
const sharedWhileMade = (make: () => Promise<string>): (() => Promise<string>) => {
  let made: Promise<string> | undefined
  return () => {
    made ??= make().finally(() => {
      made = undefined
    })
    return made
  }
}

const callBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const reviewBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Starts the measurement of a callback. The returned function ends it with the HTTP status and the route, such as `/v2/:name/event`.
 * Without a route, the callback was refused before routing.
 */
export type CallbackBegins = () => (end: { code: number; seconds: number; route?: string }) => void

const callbackMetrics = (registry: Registry): CallbackBegins => {
  const named = (name: string, help: string) => ({
    registers: [registry],
    name: `watcher_listener_${name}`,
    help,
    labelNames: ['server_name'],
  })
  const requests = new Counter(named('requests_total', 'Events that came'))
  const errors = new Counter(named('request_errors_total', 'Number of events that were not passed to the relay'))
  const duration = new Gauge(named('request_duration', 'Duration of the last event request in seconds'))
  const inflight = new Gauge(named('inflight_requests', 'Number of event requests in progress'))
  const unverified = new Counter({
    ...named(
      'failed_verification_requests_total',
      'Number of events whose sender was not authenticated as a Kyma runtime',
    ),
    labelNames: ['server_name', 'request_uri_label'],
  })
  const tooLarge = new Counter(
    named('exceeding_size_limit_requests_total', 'Number of events that exceeded the size limit'),
  )
  return () => {
    requests.inc(labels)
    inflight.inc(labels)
    return ({ code, seconds, route }) => {
      inflight.dec(labels)
      duration.set(labels, seconds)
      if (code !== 200) errors.inc(labels)
      if (code === 413) tooLarge.inc(labels)
      if (route !== undefined && isRefused(code)) unverified.inc({ request_uri_label: route, ...labels })
    }
  }
}

/** The Go listener has only this server name. */
const labels = { server_name: 'listener' }

const isRefused = (code: number): boolean => code === 401 || code === 403
