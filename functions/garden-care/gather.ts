// Reads for garden-care, with concurrent requests. Each read has its own result, so a failed read affects only the checks that need it.
import { etcdKind, managedResourceKind } from '../../shared/api/garden/kinds.ts'
import { virtualGardenAccess, virtualGardenHost } from '../../shared/api/garden/virtual-garden.ts'
import { gardenKind, gardenNamespace as namespace } from '../../shared/api/garden.ts'
import { type Measurement, type Metric, stateMeasurements } from '../../shared/core/decisions/measurement.ts'
import { isMap, type JsonMap, mapOrEmpty, mapsIn, shownText } from '../../shared/core/json/json.ts'
import type { Garden } from '../../shared/core/objects/garden.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { secretText } from '../../shared/core/objects/secret-text.ts'
import type { ListQuery, Reads } from '../../shared/kube/client-types.ts'
import { probe } from '../../shared/kube/connection/probe.ts'
import { parseKubeconfig } from '../../shared/kube/kubeconfigs/kubeconfig.ts'
import { listIfServed, reading } from '../../shared/kube/reading.ts'
import type { GatherContext } from '../../shared/runtime/context.ts'
import type { SeenMetrics } from '../../shared/runtime/definition.ts'
import type { GardenCareSettings } from './settings.ts'
import type { ApiServerHealth, World } from './world.ts'

const istioNamespace = 'istio-system'
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment' }
const statefulSet = { apiVersion: 'apps/v1', kind: 'StatefulSet' }
const healthzSeconds = 5

export const gather = async (
  object: KubeObject,
  { reads, settings }: Pick<GatherContext<GardenCareSettings>, 'reads' | 'settings'>,
): Promise<World> => {
  const listed = (query: ListQuery) => reading(listOf(reads, query))
  const ofBoth = [namespace, istioNamespace].map(namespace => listOf(reads, { ...managedResourceKind, namespace }))
  const [apiServer, managedResources, etcds, deployments, statefulSets, istiod] = await Promise.all([
    reading(apiServerHealth(reads, settings)),
    reading(Promise.all(ofBoth).then(lists => lists.flat())),
    listed({ ...etcdKind, namespace }),
    listed({ ...deployment, namespace }),
    listed({ ...statefulSet, namespace }),
    reading(reads.get({ ...deployment, namespace: istioNamespace, name: 'istiod' })),
  ])
  const read = { apiServer, managedResources, etcds, deployments, statefulSets, istiod }
  return { ...read, garden: object as Garden, settings }
}

/** If the API server does not serve a kind, the list is empty. The checks then report required objects as missing. */
const listOf = async (reads: Reads, query: ListQuery): Promise<readonly KubeObject[]> =>
  (await listIfServed(reads, { ...query, keep: withoutContents })) ?? []

/** Keeps only the replicas of the spec, because the checks need nothing else. */
const withoutContents = ({ apiVersion, kind, metadata, spec, status }: KubeObject): KubeObject => ({
  apiVersion,
  kind,
  metadata,
  status: readable(status),
  ...(isMap(spec) && { spec: { replicas: spec.replicas } }),
})

/** Definitions of a Garden may allow any status. Unexpected values become text, so that one broken status does not fail all checks. */
const readable = (status: unknown) => {
  const { conditions, lastErrors, ...others } = mapOrEmpty(status)
  return {
    ...inWords(others),
    conditions: mapsIn(conditions).map(inWords),
    lastErrors: mapsIn(lastErrors).map(inWords),
  }
}

/** Converts maps and lists to text, because messages quote these fields. */
const inWords = (fields: JsonMap): JsonMap =>
  Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [
      field,
      typeof value === 'object' && value !== null ? shownText(value) : value,
    ]),
  )

const apiServerHealth = async (reads: Reads, settings: GardenCareSettings): Promise<ApiServerHealth> => {
  const text = secretText(await reads.get(virtualGardenAccess), 'kubeconfig')
  const dialAt = settings.virtualGardenAddress
  const verdict = parseKubeconfig(text, { allowedHosts: [virtualGardenHost], dialAt })
  if ('refused' in verdict || !(await verdict.access.credentials()).token) return { is: 'unknowable' }
  return probe(verdict.access, { path: '/healthz', seconds: healthzSeconds })
}

const metricNames = { state: 'espalier_garden_state', condition: 'espalier_garden_condition' }

const gardenMetrics: readonly Metric[] = [
  {
    name: metricNames.state,
    type: 'gauge',
    labels: ['name', 'state'],
    help: 'Whether the last operation of a Garden is in this state',
  },
  {
    name: metricNames.condition,
    type: 'gauge',
    labels: ['name', 'condition'],
    help: 'Whether a condition of a Garden is True',
  },
]

const states = ['Pending', 'Processing', 'Succeeded', 'Error', 'Failed', 'Aborted']

const gardenMeasurements = ({ metadata: { name }, status }: Garden): Measurement[] => [
  ...stateMeasurements(metricNames.state, { states, now: status?.lastOperation?.state, labels: { name } }),
  ...(status?.conditions ?? []).map(({ type, status }) => ({
    metric: metricNames.condition,
    labels: { name, condition: type },
    set: status === 'True' ? 1 : 0,
  })),
]

/** The state of the last operation, and which conditions are True. */
export const seenGardens: SeenMetrics = {
  metrics: gardenMetrics,
  read: async ({ reads }) =>
    (await reads.list({ ...gardenKind, fromCache: true })).flatMap(garden => gardenMeasurements(garden as Garden)),
}
