// Counts what callers lose to the limits of a listener, for host and relay.
import { Counter, type Registry } from 'prom-client'
import type { LimitReached } from './server.ts'

export const limitMetric = (registry: Registry): LimitReached => {
  const limits = new Counter({
    registers: [registry],
    name: 'espalier_listener_limit_reached_total',
    help: 'Number of connections and requests that a limit of a listener ended',
    labelNames: ['limit'],
  })
  return limit => limits.inc({ limit })
}
