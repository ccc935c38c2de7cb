// Shows what functions measure themselves, under the names that they declare.
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Measurement, Metric } from '../../core/decisions/measurement.ts'

/** Shows the metrics from now on. A measurement of a metric that is not declared throws: that is a defect of the function. */
export const functionMetrics = (registry: Registry, metrics: readonly Metric[]) => {
  const shown = new Map(metrics.map(metric => [metric.name, shownBy(registry, metric)]))
  return (measurements: readonly Measurement[]): void => {
    for (const measurement of measurements) {
      const metric = shown.get(measurement.metric)
      if (!metric) throw new TypeError(`the metric ${measurement.metric} is not declared`)
      change(metric, measurement)
    }
  }
}

const shownBy = (registry: Registry, { type, labels, ...metric }: Metric): Counter | Gauge => {
  const configuration = { ...metric, labelNames: [...labels], registers: [registry] }
  return type === 'counter' ? new Counter(configuration) : new Gauge(configuration)
}

const change = (metric: Counter | Gauge, measurement: Measurement): void => {
  const labels = measurement.labels ?? {}
  if ('forget' in measurement) metric.remove(labels)
  else if ('add' in measurement) metric.inc(labels, measurement.add)
  else if (metric instanceof Gauge) metric.set(labels, measurement.set)
  else throw new TypeError(`the counter ${measurement.metric} cannot be set`)
}

/** The values are read at most this often, however often somebody scrapes: each reading is a list for the API server. */
const seenMilliseconds = 10_000

/** Shows gauges whose values are read when they are scraped; none while they cannot be read. */
export const seenMetrics = (
  registry: Registry,
  metrics: readonly Metric[],
  read: () => Promise<readonly Measurement[]>,
): void => {
  let last: { readonly until: number; readonly seen: Promise<readonly Measurement[]> } | undefined
  const seen = (): Promise<readonly Measurement[]> => {
    if (last === undefined || last.until <= performance.now())
      last = { until: performance.now() + seenMilliseconds, seen: read().catch(() => []) }
    return last.seen
  }
  for (const { name, help, labels } of metrics)
    new Gauge({
      name,
      help,
      labelNames: [...labels],
      registers: [registry],
      async collect() {
        const measurements = await seen()
        this.reset()
        // A gauge without labels shows 0 after a reset, and what is not known is not 0.
        if (labels.length === 0) this.remove()
        for (const one of measurements) if (one.metric === name && 'set' in one) this.set(one.labels ?? {}, one.set)
      },
    })
}
