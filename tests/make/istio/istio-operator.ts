// Builders around the IstioOperator: clusters to install Istio in, and what a spec changes in the document and in all that comes of it.
import { parse } from 'yaml'
import { chartsOf, type DesiredChart } from '../../../functions/istio/desired/desired-chart.ts'
import { type OperatorInput, wantedOperator } from '../../../functions/istio/desired/wanted-operator.ts'
import { istioProfiles } from '../../../functions/istio/io/files.ts'
import type { ClusterFacts, NodeFacts } from '../../../functions/istio/rules/cluster-facts.ts'
import type { IstioOperator } from '../../../shared/api/istio/operator.ts'
import { attempted } from '../../../shared/core/decisions/reading.ts'
import { type JsonMap, mapOrEmpty, sameJson } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { patchedChart, renderedChart } from './istio-charts.ts'

/** Those that ship. */
export const profiles = istioProfiles()

/** Alone large enough for production. */
export const node = (change: Partial<NodeFacts> = {}): NodeFacts => ({
  cpu: '8',
  memory: '32Gi',
  kubeletVersion: 'v1.36.3',
  providerId: 'example://node',
  osImage: 'Example Linux 1',
  ...change,
})

export const cluster = (change: Partial<ClusterFacts> = {}): ClusterFacts => ({
  nodes: [node()],
  features: { isCniDisabled: false, hasControlPlaneVpa: false },
  isDualStack: false,
  wantsElb: false,
  hasNlb: false,
  ...change,
})

/** What a spec comes to in a cluster without specialities. */
export const operatorFor = (spec: JsonMap, change: Partial<OperatorInput> = {}): IstioOperator => {
  const wanted = wantedOperator({ spec, profiles, cluster: cluster(), installation: {}, ...change })
  if ('fault' in wanted) throw new Error(wanted.fault)
  return wanted.operator
}

/** The objects of all charts that are on, patched, by `Kind name`. */
export const objectsFor = (operator: IstioOperator, of = patchedChart): Record<string, KubeObject> =>
  Object.fromEntries(
    chartsOf(operator)
      .flatMap(desired => of(desired).objects)
      .map(object => [`${object.kind} ${object.metadata.name}`, object] as const),
  )

/** The values that charts share; those of ztunnel are its own. */
export const valuesFor = (operator: IstioOperator, directory = 'base'): JsonMap => chartFor(operator, directory).values

export const chartFor = (operator: IstioOperator, directory: string): DesiredChart => {
  const desired = chartsOf(operator).find(one => one.directory === directory)
  if (!desired) throw new Error(`${directory} is off`)
  return desired
}

/** What changes of the document, of the values and of the objects, and which charts come and go. */
export const consequences = (before: IstioOperator, after: IstioOperator): JsonMap => {
  const directories = (operator: IstioOperator) => chartsOf(operator).map(({ directory }) => directory)
  return {
    operator: changes(before.spec, after.spec),
    values: changes(valuesFor(before), valuesFor(after)),
    objects: changedObjects(before, after),
    ...(String(directories(before)) !== String(directories(after)) && { charts: directories(after) }),
  }
}

/** Of objects that come it is told what is laid over them. */
const changedObjects = (before: IstioOperator, after: IstioOperator): JsonMap => {
  const [old, found] = [objectsFor(before), objectsFor(after)]
  const bare = objectsFor(after, desired => ({ objects: renderedChart(desired), missed: [] }))
  const rows = Object.entries(found).map(([name, object]) => [
    old[name] ? name : `${name} (new)`,
    changes(readable(old[name] ?? bare[name]), readable(object)),
  ])
  return Object.fromEntries(rows.filter(([name, change]) => String(name).endsWith('(new)') || !sameJson(change, {})))
}

/** The texts of a ConfigMap as what they mean. */
const readable = (object: KubeObject | undefined): unknown =>
  object?.kind === 'ConfigMap'
    ? {
        ...object,
        data: Object.fromEntries(Object.entries(mapOrEmpty(object.data)).map(([key, text]) => [key, meaning(text)])),
      }
    : object

const meaning = (text: unknown): unknown => {
  const read = attempted(() => parse(String(text)))
  return 'read' in read ? read.read : text
}

/** As a merge patch, but of lists the elements alone that changed, by their names if they have any. */
const changes = (before: unknown, after: unknown): JsonMap => {
  const [old, found] = [fields(before), fields(after)]
  return Object.fromEntries(
    [...new Set([...Object.keys(old), ...Object.keys(found)])].flatMap(field => {
      const [from, to] = [old[field], found[field]]
      if (sameJson(from, to)) return []
      const isInner = typeof from === 'object' && from !== null && typeof to === 'object' && to !== null
      return [[field, to === undefined ? null : isInner ? changes(from, to) : to]]
    }),
  )
}

const fields = (value: unknown): JsonMap =>
  Array.isArray(value)
    ? Object.fromEntries(value.map((item, index) => [`[${mapOrEmpty(item).name ?? index}]`, item]))
    : mapOrEmpty(value)
