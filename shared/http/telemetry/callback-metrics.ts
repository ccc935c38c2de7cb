// Metrics of callbacks with the names of the Go listener. Labels contain no values from callers, who may be unauthenticated.
import { Counter, Gauge, type Registry } from 'prom-client'

/**
 * Starts the measurement of a callback. The returned function ends it with the HTTP status and the route, such as `/v2/:name/event`.
 * Without a route, the callback was refused before routing.
 */
export type CallbackBegins = () => (end: { code: number; seconds: number; route?: string }) => void

export const callbackMetrics = (registry: Registry): CallbackBegins => {
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
