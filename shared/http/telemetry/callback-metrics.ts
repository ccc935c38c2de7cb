// The metrics of callbacks, under the names that the Go listener gave them. A request without a proved caller counts too, so labels
// hold nothing that comes from callers.
import { Counter, Gauge, type Registry } from 'prom-client'

/**
 * Starts to measure one callback; the returned function ends it, with the HTTP status that was answered and the route, such as
 * `/v2/:name/event`. Absent: it was refused before it was routed.
 */
export type CallbackBegins = () => (end: { code: number; seconds: number; route?: string }) => void

export const callbackMetrics = (registry: Registry): CallbackBegins => {
  const of = (name: string, help: string) => ({
    registers: [registry],
    name: `watcher_listener_${name}`,
    help,
    labelNames: ['server_name'],
  })
  const requests = new Counter(of('requests_total', 'Events that came'))
  const errors = new Counter(of('request_errors_total', 'Events that were not handed over'))
  const duration = new Gauge(of('request_duration', 'Seconds until the last event was answered'))
  const inflight = new Gauge(of('inflight_requests', 'Events that are being answered'))
  const unverified = new Counter({
    ...of('failed_verification_requests_total', 'Events whose sender could not prove to be a Kyma runtime'),
    labelNames: ['server_name', 'request_uri_label'],
  })
  const tooLarge = new Counter(of('exceeding_size_limit_requests_total', 'Events that were too large'))
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

/** The name of the Go listener, which has no other. */
const labels = { server_name: 'listener' }

const isRefused = (code: number): boolean => code === 401 || code === 403
