// Renders the objects to install, and reads the installed objects.

import { istioNames } from '../../../../shared/api/istio/names.ts'
import type { IstioOperator } from '../../../../shared/api/istio/operator.ts'
import { type Item, itemsOf } from '../../../../shared/component/item.ts'
import type { World as EngineWorld } from '../../../../shared/component/world.ts'
import { valueAt } from '../../../../shared/core/json/fields.ts'
import { isText } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { errorText } from '../../../../shared/core/text/error-text.ts'
import { shortened } from '../../../../shared/core/text/text.ts'
import { readYaml } from '../../../../shared/core/yaml/read.ts'
import { ConnectionError, isTrouble } from '../../../../shared/kube/errors.ts'
import { dependents } from '../../../../shared/runtime/component.ts'
import { RendererBusy } from '../../../../shared/runtime/renderer/renderer.ts'
import { chartsOf } from '../../desired/charts/desired-chart.ts'
import { patchedObjects } from '../../desired/charts/patched-objects.ts'
import { installationManifests, priorityClassRef, type RenderedChart } from '../../desired/installation/manifests.ts'
import { webhookKinds } from '../../desired/installation/webhooks.ts'
import { wantedOperator } from '../../desired/operator/wanted-operator.ts'
import type { ChartSet } from '../../io/charts.ts'
import { untouchedInstallation } from '../../parts/all-parts.ts'
import { descriptions } from '../../reasons.ts'
import type { IstioFinding } from '../../rules/findings.ts'
import { failure, installFailed } from '../../rules/findings.ts'
import { chartsFault, foreignObject } from '../../rules/installation/charts-fault.ts'
import { isInherited, isInstalledByUs, itemsWith } from '../../rules/installation/found-objects.ts'
import { installationOptions } from '../../rules/installation/installation-options.ts'
import { targetTag } from '../../rules/version.ts'
import type { InstallationFacts, Istio } from '../../world.ts'
import type { ChartReaderInput, ReaderInput } from '../reader-input.ts'
import { readCluster } from './cluster.ts'
import { foundObjects } from './installed-objects.ts'

export const readInstallation = async (input: ChartReaderInput): Promise<InstallationFacts> => {
  const { world, context } = input
  const { settings, istio } = world
  const cluster = await readCluster(context.reads, settings)
  const { profiles } = settings
  const wanted = wantedOperator({ spec: istio.spec, profiles, cluster, installation: settings })
  if ('fault' in wanted) return { is: 'impossible', cluster, finding: failure(wanted.fault, misconfigured) }
  try {
    const rendered = await renderedCharts(wanted.operator, input)
    if ('fault' in rendered) return { is: 'impossible', cluster, finding: installFailed(rendered.fault) }
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

const misconfigured = { reason: 'IstioCustomResourceMisconfigured' } as const

type Charts = Parameters<typeof installationManifests>[0]['charts']

const readObjects = async (input: ChartReaderInput, charts: Charts) => {
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

type Rendered = {
  readonly charts: readonly RenderedChart[]
  readonly source: string
}

/** Rejects with ArtifactError, RenderError or RendererBusy. */
const renderedCharts = async (
  operator: IstioOperator,
  input: ChartReaderInput,
): Promise<Rendered | { readonly fault: string }> => {
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
