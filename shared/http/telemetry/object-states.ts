// Gauges of each object for Prometheus: its state, as in `espalier get` and the console, and the gauges of its function. A scrape lists the
// objects of a kind once, and keeps only the measurements of each object.
import { includesOrAll, namesResource } from '../../api/access-rule.ts'
import type { FunctionSettings } from '../../api/serverless.ts'
import type { Measurement, Metric } from '../../core/decisions/measurement.ts'
import { attempted } from '../../core/decisions/reading.ts'
import { groupOf, type KubeObject } from '../../core/objects/object.ts'
import { groupResourceOf, type NamedKind } from '../../core/objects/resource-name.ts'
import { reading } from '../../kube/reading.ts'
import type { GatherContext } from '../../runtime/context.ts'
import type { ReconcileFunction } from '../../runtime/definition.ts'
import { stateOf } from '../../runtime/why/explanation.ts'

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
