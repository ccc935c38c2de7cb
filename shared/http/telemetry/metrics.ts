// The host's metrics, with controller-runtime's names, so that dashboards for controller-runtime work.
import { getFips } from 'node:crypto'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { firstRow } from '../../core/decisions/first-row.ts'
import type { Measurement, Metric } from '../../core/decisions/measurement.ts'
import type { Outcome } from '../../core/decisions/outcome.ts'
import { requestMetric } from '../../kube/connection/request-metric.ts'
import { limitMetric } from '../../listener/limit-metric.ts'
import type { LimitReached } from '../../listener/server.ts'
import { type CallbackBegins, callbackMetrics } from './callback-metrics.ts'
import { functionMetrics, seenMetrics } from './function-metrics.ts'

type CallEnd = Outcome | 'thrown'

export type HostMetrics = {
  /** Starts the measurement of a call. The returned function ends the measurement. */
  callBegins(controller: string): (end: CallEnd) => void
  /** Exposes metrics of a function. The returned function applies measurements. */
  declared(metrics: readonly Metric[]): (measurements: readonly Measurement[]) => void
  /** Exposes metrics that are read at each scrape. */
  seen(metrics: readonly Metric[], read: () => Promise<readonly Measurement[]>): void
  reviewEnds(review: { webhook: string; code: number; seconds: number }): void
  callbackBegins: CallbackBegins
  requestEnds(request: { code: string; method: string }): void
  limitReached: LimitReached
  servingCertificate(notAfter: Date): void
  /** Sets the source for the memory of renderers. */
  rendererMemory(bytes: () => Promise<number>): void
  text(): Promise<string>
  contentType: string
}

/** controller-runtime's result names. The first matching row counts. */
const results: readonly { when: (end: CallEnd) => boolean; result: string }[] = [
  { when: end => end === 'thrown', result: 'error' },
  { when: end => end !== 'thrown' && (end.outcome === 'failed' || end.outcome === 'stalled'), result: 'error' },
  { when: end => end !== 'thrown' && end.requeueAfterSeconds === 0, result: 'requeue' },
  { when: end => end !== 'thrown' && end.requeueAfterSeconds !== undefined, result: 'requeue_after' },
  { when: () => true, result: 'success' },
]

/** Uses its own registry, because a process may have several hosts. */
export const hostMetrics = (): HostMetrics => {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const certificate = new Gauge({
    registers,
    name: 'espalier_serving_certificate_not_after_seconds',
    help: 'Expiry of the serving certificate in use, in Unix time',
  })
  const fips = new Gauge({
    registers,
    name: 'lifecycle_mgr_fips_mode',
    help: 'Whether OpenSSL runs in FIPS mode (0: off, 1: on)',
  })
  fips.set(getFips())
  return {
    callBegins: callMetrics(registers),
    declared: metrics => functionMetrics(registry, metrics),
    seen: (metrics, read) => seenMetrics(registry, metrics, read),
    reviewEnds: reviewMetrics(registers),
    callbackBegins: callbackMetrics(registry),
    requestEnds: requestMetric(registry),
    limitReached: limitMetric(registry),
    servingCertificate: notAfter => certificate.set(notAfter.getTime() / 1000),
    rendererMemory: bytes => {
      new Gauge({
        registers,
        name: 'espalier_renderer_resident_memory_bytes',
        help: 'Memory of the renderer processes of this host, not included in process_resident_memory_bytes',
        async collect() {
          this.set(await bytes())
        },
      })
    },
    text: sharedWhileMade(() => registry.metrics()),
    contentType: registry.contentType,
  }
}

const callMetrics = (registers: Registry[]): HostMetrics['callBegins'] => {
  const total = new Counter({
    registers,
    name: 'controller_runtime_reconcile_total',
    help: 'Calls per function and result',
    labelNames: ['controller', 'result'],
  })
  const errors = new Counter({
    registers,
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Calls per function that ended in an error',
    labelNames: ['controller'],
  })
  const time = new Histogram({
    registers,
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Duration of calls per function',
    labelNames: ['controller'],
    buckets: callBuckets,
  })
  const active = new Gauge({
    registers,
    name: 'controller_runtime_active_workers',
    help: 'Calls under way per function',
    labelNames: ['controller'],
  })
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

const reviewMetrics = (registers: Registry[]): HostMetrics['reviewEnds'] => {
  const reviews = new Counter({
    registers,
    name: 'controller_runtime_webhook_requests_total',
    help: 'Admission reviews per path and HTTP code',
    labelNames: ['webhook', 'code'],
  })
  const latency = new Histogram({
    registers,
    name: 'controller_runtime_webhook_latency_seconds',
    help: 'Duration of admission reviews per path',
    labelNames: ['webhook'],
    buckets: reviewBuckets,
  })
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
