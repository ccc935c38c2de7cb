// Counts connections, requests and answers that host and relay dropped because of a limit.
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
