// Counts what callers lose to the limits of a listener, for host and relay.
import { Counter, type Registry } from 'prom-client'
import type { LimitReached } from './server.ts'

export const limitMetric = (registry: Registry): LimitReached => {
  const limits = new Counter({
    registers: [registry],
    name: 'espalier_listener_limit_reached_total',
    help: 'How often a caller lost a connection, a body or its time to a limit of a listener',
    labelNames: ['limit'],
  })
  return limit => limits.inc({ limit })
}
