// The metrics of callbacks, under the names that the Go listener gave them. A request without a proved caller counts too, so labels
// hold nothing that comes from callers.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** Starts to measure one callback; the returned function ends it, with the HTTP status that was answered. */
export type CallbackBegins = (server: string) => (end: { code: number; seconds: number }) => void

export const callbackMetrics = (registry: Registry): CallbackBegins => {
  const of = (name: string, help: string) => ({
    registers: [registry],
    name: `watcher_listener_${name}`,
    help,
    labelNames: ['server_name'],
  })
  const requests = new Counter(of('requests_total', 'Events that came'))
  const errors = new Counter(of('request_errors_total', 'Events that were not handed over'))
  const duration = new Histogram({ ...of('request_duration', 'Seconds until an event was answered'), buckets })
  const inflight = new Gauge(of('inflight_requests', 'Events that are being answered'))
  const tooLarge = new Counter(of('exceeding_size_limit_requests_total', 'Events that were too large'))
  return server => {
    const labels = { server_name: server }
    requests.inc(labels)
    inflight.inc(labels)
    return ({ code, seconds }) => {
      inflight.dec(labels)
      duration.observe(labels, seconds)
      if (code !== 200) errors.inc(labels)
      if (code === 413) tooLarge.inc(labels)
    }
  }
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
