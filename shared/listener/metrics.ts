// The metrics of host, relay and agent: one registry with prom-client's metrics of the process, and with the limits of the listener.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { LimitReached } from './server.ts'

/** What a server shows and counts. */
export type ServedMetrics = { text(): Promise<string>; contentType: string; limitReached: LimitReached }

/** Uses its own registry, because a process may have several programs. */
export const programMetrics = () => {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const counter = <Label extends string>(name: string, help: string, ...labelNames: readonly Label[]) =>
    new Counter({ registers, name, help, labelNames })
  const limits = counter(
    'espalier_listener_limit_reached_total',
    'Number of connections and requests that a limit of a listener ended',
    'limit',
  )
  const served: ServedMetrics = {
    text: () => registry.metrics(),
    contentType: registry.contentType,
    limitReached: limit => limits.inc({ limit }),
  }
  return {
    registry,
    served,
    counter,
    gauge: <Label extends string>(name: string, help: string, ...labelNames: readonly Label[]) =>
      new Gauge({ registers, name, help, labelNames }),
    histogram: <Label extends string>(name: string, help: string, label: Label, buckets: number[]) =>
      new Histogram({ registers, name, help, labelNames: [label], buckets }),
    /** A gauge whose value is read at each scrape. */
    readGauge: (name: string, help: string, read: () => number | Promise<number>): void => {
      new Gauge({
        registers,
        name,
        help,
        async collect() {
          this.set(await read())
        },
      })
    },
  }
}

export type ProgramMetrics = ReturnType<typeof programMetrics>
