// Renders the objects to install, and reads the installed objects.
import { istioNames } from '../../../shared/api/istio/names.ts'
import type { IstioOperator } from '../../../shared/api/istio/operator.ts'
import { type Item, itemsOf } from '../../../shared/component/item.ts'
import type { World as EngineWorld } from '../../../shared/component/world.ts'
import { valueAt } from '../../../shared/core/json/fields.ts'
import { isText } from '../../../shared/core/json/json.ts'
import type { GroupVersionKind, KubeObject } from '../../../shared/core/objects/object.ts'
import { errorText } from '../../../shared/core/text/error-text.ts'
import { shortened } from '../../../shared/core/text/text.ts'
import { readYaml } from '../../../shared/core/yaml/read.ts'
import type { ListQuery, Reads } from '../../../shared/kube/client-types.ts'
import { ConnectionError, isTrouble } from '../../../shared/kube/errors.ts'
import { listIfServed } from '../../../shared/kube/reading.ts'
import { dependents } from '../../../shared/runtime/component.ts'
import { RendererBusy } from '../../../shared/runtime/renderer/renderer.ts'
import { componentLabel, webhookKinds } from '../desired/chart-object.ts'
import { chartsOf } from '../desired/desired-chart.ts'
import { installationManifests, meshNamespaceRef, priorityClassRef, type RenderedChart } from '../desired/manifests.ts'
import { patchedObjects } from '../desired/object-patches.ts'
import { wantedOperator } from '../desired/wanted-operator.ts'
import type { ChartSet } from '../io/charts.ts'
import { untouchedInstallation } from '../parts/all-parts.ts'
import { descriptions } from '../reasons.ts'
import { failure, type IstioFinding, installFailed } from '../rules/findings.ts'
import {
  foreignObject,
  installationOptions,
  isInherited,
  isInstalledByUs,
  isSearchDue,
  itemsWith,
} from '../rules/installed-objects.ts'
import { chartsFault, targetTag } from '../rules/version.ts'
import type { InstallationFacts, Istio } from '../world.ts'
import { readCluster } from './cluster.ts'
import type { ChartReaderInput, ReaderInput } from './reader-input.ts'

export const readInstallation = async (input: ChartReaderInput): Promise<InstallationFacts> => {
  const { world, context } = input
  const { settings, istio } = world
  const cluster = await readCluster(context.reads, settings)
  const { profiles } = settings
  const wanted = wantedOperator({ spec: istio.spec, profiles, cluster, installation: settings })
  if ('fault' in wanted)
    return { is: 'impossible', cluster, finding: failure(wanted.fault, { reason: 'IstioCustomResourceMisconfigured' }) }
  try {
    const rendered = await renderedCharts(wanted.operator, input)
    if (rendered.fault !== undefined) return { is: 'impossible', cluster, finding: installFailed(rendered.fault) }
    return { is: 'possible', cluster, source: rendered.source, dependents: await readObjects(input, rendered.charts) }
  } catch (error) {
    return { is: 'impossible', cluster, finding: findingOf(error) }
  }
}

/** Rethrows connection errors, because a connection error is not a fault of the Istio. */
const findingOf = (error: unknown): IstioFinding => {
  if (error instanceof RendererBusy)
    return { state: 'Processing', description: descriptions.reconciling, detail: error.message, answer: 'installing' }
  if (error instanceof ConnectionError || isTrouble(error)) throw error
  return installFailed(errorText(error))
}

const readObjects = async (input: ChartReaderInput, charts: readonly RenderedChart[]) => {
  const { reads } = input.context
  const untouched = input.before && untouchedInstallation(input.before)
  const [found, priorityClass] = await Promise.all([
    untouched ?? foundObjects(reads, itemsIn(input.world.istio)),
    reads.get(priorityClassRef),
  ])
  const isForeign = priorityClass !== undefined && !isInstalledByUs(priorityClass)
  const manifests = installationManifests({
    charts,
    version: targetTag(input.world.settings),
    hasPriorityClass: isForeign,
    webhooks: found.filter(({ kind }) => webhookKinds.some(one => one.kind === kind)),
  })
  const seen = [...found, ...(priorityClass && !isForeign ? [priorityClass] : [])]
  return engineWorld(input, { manifests, seen })
}

/** Rejects with ArtifactError, RenderError or RendererBusy. */
const renderedCharts = async (operator: IstioOperator, input: ChartReaderInput) => {
  const { charts, world, log } = input
  const { settings, istio } = world
  const set = await charts.set(settings.charts ?? settings.fallbackCharts)
  const version = versionOf(set)
  const fault = chartsFault({ version, target: targetTag(settings), kubernetes: (await charts.cluster()).version })
  if (fault !== undefined) return { fault }
  const rendered = await Promise.all(
    chartsOf(operator).map(async chart => {
      const { directory, release, namespace, values, order, component } = chart
      const objects = await charts.objects({ directory, release, namespace, values, component: istio }, set)
      const patched = patchedObjects(objects, chart)
      for (const missed of patched.missed) log.info({ chart: directory }, missed)
      return { objects: patched.objects, order, component, namespace }
    }),
  )
  const [foreign] = rendered.flatMap(({ objects, namespace }) => foreignObject(objects, namespace) ?? [])
  if (foreign !== undefined) return { fault: foreign }
  return { charts: rendered, source: settings.charts === undefined ? 'fallback' : `${version} ${set.digest}` }
}

const versionOf = ({ files }: ChartSet): string => {
  const file = files.get('istio-control/istio-discovery/Chart.yaml')
  const about = file && readYaml(Buffer.from(file).toString('utf8'))
  const [version] = ['appVersion', 'version'].flatMap(field => valueAt(about, field) ?? [])
  return isText(version) || typeof version === 'number' ? shortened(longestVersion, String(version)) : 'unknown'
}

/** Longer versions are cut, because the status shows them. */
const longestVersion = 100

const engine = dependents({ name: istioNames.prefix, options: installationOptions })

const itemsIn = ({ status }: Istio): Item[] => itemsOf(status?.inventory)

type Known = { readonly manifests?: readonly KubeObject[]; readonly seen: readonly KubeObject[] }

/** `seen`: installed objects that were already read, so the engine does not read them again. */
export const engineWorld = (input: ReaderInput, { manifests, seen }: Known): Promise<EngineWorld> => {
  const { context, world, now } = input
  const items = itemsWith(itemsIn(world.istio), seen)
  const known = { manifests, items, seen, inherits: isInherited }
  return engine.gather({ ...context, ...known, now, namespace: istioNames.namespaces.mesh }, world.istio)
}

const { mesh } = istioNames.namespaces

const kinds = (apiVersion: string, ...names: readonly string[]): GroupVersionKind[] =>
  names.map(kind => ({ apiVersion, kind }))

/** Kinds to search only in istio-system, because gateways in other namespaces belong to users. */
const namespaced = [
  ...kinds('v1', 'ServiceAccount', 'Service', 'ConfigMap', 'ResourceQuota'),
  ...kinds('apps/v1', 'Deployment', 'DaemonSet'),
  ...kinds('autoscaling/v2', 'HorizontalPodAutoscaler'),
  ...kinds('policy/v1', 'PodDisruptionBudget'),
  ...kinds('rbac.authorization.k8s.io/v1', 'Role', 'RoleBinding'),
  ...kinds('networking.k8s.io/v1', 'NetworkPolicy'),
].map(kind => ({ ...kind, namespace: mesh }))

const ofCluster = [
  ...kinds('rbac.authorization.k8s.io/v1', 'ClusterRole', 'ClusterRoleBinding'),
  ...kinds('apiextensions.k8s.io/v1', 'CustomResourceDefinition'),
]

/**
 * Reads installed objects that the engine does not read: always webhook configurations, which influence the manifests, and other kinds if the
 * inventory may be incomplete.
 */
const foundObjects = async (reads: Reads, items: readonly Item[]): Promise<KubeObject[]> => {
  if (!isSearchDue(items)) return searched(reads, webhookKinds)
  const namespace = await reads.get(meshNamespaceRef)
  if (!namespace) return searched(reads, [...webhookKinds, ...ofCluster])
  return [namespace, ...(await objectsToRemove(reads))]
}

/** All objects of the installation that Espalier created or took over, even if the inventory lacks them. */
export const objectsToRemove = (reads: Reads): Promise<KubeObject[]> =>
  searched(reads, [...webhookKinds, ...namespaced, ...ofCluster])

const searched = async (reads: Reads, kinds: readonly ListQuery[]): Promise<KubeObject[]> => {
  const lists = await Promise.all(kinds.map(kind => listIfServed(reads, { ...kind, labelSelector: componentLabel })))
  return lists.flatMap(list => list ?? []).filter(object => isInstalledByUs(object) || isInherited(object))
}
