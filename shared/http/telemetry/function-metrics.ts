// Exposes the metrics that functions declare, and the state of each object as in `espalier get` and the console. A scrape lists the objects of
// a kind once, and keeps only the measurements of each object.
import { Counter, Gauge, type Registry } from 'prom-client'
import { type FunctionSettings, includesOrAll, namesResource } from '../../api/serverless.ts'
import { fewNames } from '../../core/bounds/counts.ts'
import type { Measurement, Metric } from '../../core/decisions/measurement.ts'
import { attempted } from '../../core/decisions/reading.ts'
import { groupOf, groupResourceOf, type KubeObject, type NamedKind } from '../../core/objects/object.ts'
import { reading } from '../../kube/reading.ts'
import type { GatherContext } from '../../runtime/context.ts'
import type { ReconcileFunction } from '../../runtime/definition.ts'
import { stateOf } from '../../runtime/why/explanation.ts'

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

/** The share of the time that reads may take. Example: thousands of objects are read in 3 s, so the next read begins after a minute. */
const seenShare = 1 / 20

/** Exposes metrics whose values are read at each scrape. If the values cannot be read, the metrics are absent. */
export const seenMetrics = (
  registry: Registry,
  metrics: readonly Metric[],
  read: () => Promise<readonly Measurement[]>,
): void => {
  const seen = seldom(async () => Map.groupBy(await read().catch(() => []), ({ metric }) => metric))
  for (const { name, help, labels, type } of metrics) {
    const inOrder = inOrderOf(labels)
    let shown: unknown
    ;new (type === 'counter' ? Counter : Gauge)({
      name,
      help,
      labelNames: [...labels],
      registers: [registry],
      async collect() {
        const found = await seen()
        if (found === shown) return
        shown = found
        this.reset()
        // A gauge without labels would show 0 after a reset, but an unknown value is not 0.
        if (labels.length === 0) this.remove()
        for (const one of found.get(name) ?? []) if ('set' in one) this.inc(inOrder(one.labels ?? {}), one.set)
      },
    })
  }
}

/** Reads again after a while, which is longer if a read takes long. */
const seldom = <Value>(read: () => Promise<Value>): (() => Promise<Value>) => {
  let last: { until: number; readonly value: Promise<Value> } | undefined
  const begun = () => {
    const at = performance.now()
    const one = { until: Number.POSITIVE_INFINITY, value: read() }
    const ended = () => {
      one.until = at + Math.max(seenMilliseconds, (performance.now() - at) / seenShare)
    }
    one.value.then(ended, ended)
    return one
  }
  return () => {
    if (last === undefined || last.until <= performance.now()) last = begun()
    return last.value
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

export const objectState: Metric = {
  name: 'espalier_object_state',
  type: 'gauge',
  labels: ['group', 'kind', 'namespace', 'name', 'state'],
  help: 'State of an object as espalier get and the console show it: ready, waiting, failed, deleting or suspended; always 1',
}

type SeenFunction = {
  readonly definition: ReconcileFunction
  readonly settings: Pick<FunctionSettings, 'access'>
  /** A context with the rights of the function. */
  readonly context: () => Promise<GatherContext>
}

type Seen = { readonly metrics: readonly Metric[]; read(): Promise<readonly Measurement[]> }

/** Measurements of all functions. Measurements that cannot be read are omitted. */
export const seenFor = (served: readonly SeenFunction[], now: () => Date): Seen => {
  const metrics = served.flatMap(({ definition: { keepsState, seenOfEach, seen } }) => [
    ...(keepsState ? [objectState] : []),
    ...(seenOfEach?.metrics ?? []),
    ...(seen?.metrics ?? []),
  ])
  const reads = (one: SeenFunction): Promise<readonly Measurement[]>[] => [
    objectsSeen(one, now()),
    one.context().then(context => one.definition.seen?.read(context) ?? []),
  ]
  return {
    // Functions for several kinds of components share their metrics.
    metrics: [...new Map(metrics.map(metric => [metric.name, metric])).values()],
    read: async () => (await Promise.all(served.flatMap(reads).map(read => read.catch(() => [])))).flat(),
  }
}

/** The size is small, because parsing a large page would delay webhooks. */
const pageSize = 100

const objectsSeen = async ({ definition, settings, context }: SeenFunction, now: Date): Promise<Measurement[]> => {
  if (!definition.keepsState && !definition.seenOfEach) return []
  const { apiVersion, kind } = definition.kind
  const found = await context()
  // If these reads fail, only the states are shown.
  const begun = definition.seenOfEach && (await reading(definition.seenOfEach.begin(found)))
  const measured = (object: KubeObject): readonly Measurement[] => {
    // One object with an invalid status must not hide all other objects.
    const own = attempted(() => (begun && 'read' in begun ? begun.read(object) : []))
    return 'read' in own ? own.read : []
  }
  const keep = (object: KubeObject): KubeObject => ({
    ...{ apiVersion, kind, metadata: { name: object.metadata.name } },
    status: [...(definition.keepsState ? [stateSeen(object, now)] : []), ...measured(object)],
  })
  const lists = placesOf(definition.kind, settings).map(namespace =>
    found.reads
      .list({ apiVersion, kind, ...(namespace && { namespace }), keep, pageSize, fromCache: true })
      .catch(() => []),
  )
  return (await Promise.all(lists)).flat().flatMap(({ status }) => status as Measurement[])
}

/** The namespaces in which the function may list its kind. undefined: all namespaces. */
const placesOf = (kind: NamedKind, { access }: SeenFunction['settings']): (string | undefined)[] => {
  const own = access.filter(rule => namesResource(rule, groupResourceOf(kind)) && includesOrAll(rule.verbs, 'list'))
  return own.some(({ namespaces }) => !namespaces)
    ? [undefined]
    : [...new Set(own.flatMap(rule => rule.namespaces ?? []))]
}

const stateSeen = (object: KubeObject, now: Date): Measurement => {
  const { apiVersion, kind, metadata } = object
  const { namespace = '', name } = metadata
  const labels = { group: groupOf(apiVersion), kind, namespace, name, state: stateOf(object, now).is }
  return { metric: objectState.name, labels, set: 1 }
}
