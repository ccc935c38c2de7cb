// Exposes the metrics that functions declare.
import { Counter, Gauge, type Registry } from 'prom-client'
import { fewNames } from '../../core/bounds/few-names.ts'
import type { Measurement, Metric } from '../../core/decisions/measurement.ts'

/** The returned function applies measurements. It throws for an undeclared metric, because this is a bug of the function. */
export const functionMetrics = (registry: Registry, metrics: readonly Metric[]) => {
  const shown = new Map(
    metrics.map(metric => [metric.name, { metric: shownBy(registry, metric), labelsOf: labelsFor(metric) }]),
  )
  return (measurements: readonly Measurement[]): void => {
    for (const measurement of measurements) {
      const one = shown.get(measurement.metric)
      if (!one) throw new TypeError(`the metric ${measurement.metric} is not declared`)
      change(one.metric, { ...measurement, labels: one.labelsOf(measurement.labels ?? {}) })
    }
  }
}

type Labels = Readonly<Record<string, string>>

const labelsFor = ({ fewOf, labels: names }: Metric): ((labels: Labels) => Labels) => {
  const shown = fewNames()
  const inOrder = inOrderOf(names)
  return labels => inOrder(fewOf === undefined ? labels : { ...labels, [fewOf]: shown(labels[fewOf] ?? '') })
}

/** Several functions may declare the same metric. */
const shownBy = (registry: Registry, { type, labels, fewOf: _, ...metric }: Metric): Counter | Gauge => {
  const shared = registry.getSingleMetric(metric.name)
  if (shared instanceof Counter || shared instanceof Gauge) return shared

  const configuration = { ...metric, labelNames: [...labels], registers: [registry] }
  return type === 'counter' ? new Counter(configuration) : new Gauge(configuration)
}

const change = (metric: Counter | Gauge, measurement: Measurement & { readonly labels: Labels }): void => {
  const { labels } = measurement
  if ('forget' in measurement) metric.remove(labels)
  else if ('add' in measurement) metric.inc(labels, measurement.add)
  else if (metric instanceof Gauge) metric.set(labels, measurement.set)
  else throw new TypeError(`the counter ${measurement.metric} cannot be set`)
}

/** Minimum time between two reads, because each read lists objects at the API server. */
const seenMilliseconds = 10_000

/** Exposes metrics whose values are read at each scrape. If the values cannot be read, the metrics are absent. */
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
  for (const { name, help, labels, type } of metrics) {
    const inOrder = inOrderOf(labels)
    ;new (type === 'counter' ? Counter : Gauge)({
      name,
      help,
      labelNames: [...labels],
      registers: [registry],
      async collect() {
        const measurements = await seen()
        this.reset()
        // A gauge without labels would show 0 after a reset, but an unknown value is not 0.
        if (labels.length === 0) this.remove()
        for (const one of measurements)
          if (one.metric === name && 'set' in one) this.inc(inOrder(one.labels ?? {}), one.set)
      },
    })
  }
}

/**
 * Sorts labels by name as Go does, because scripts search for text such as `{kyma_name="a",state="Ready"}`. Undeclared labels stay, so that
 * prom-client refuses them.
 */
const inOrderOf = (names: readonly string[]): ((labels: Labels) => Labels) => {
  const sorted = names.toSorted()
  return labels => {
    const known = sorted.filter(name => name in labels).map(name => [name, labels[name] ?? ''] as const)
    return { ...Object.fromEntries(known), ...labels }
  }
}
