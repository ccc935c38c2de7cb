// Renders the charts of an installation.
import type { IstioOperator } from '../../../../shared/api/istio/operator.ts'
import { valueAt } from '../../../../shared/core/json/fields.ts'
import { isText } from '../../../../shared/core/json/json.ts'
import { shortened } from '../../../../shared/core/text/text.ts'
import { readYaml } from '../../../../shared/core/yaml/read.ts'
import { chartsOf } from '../../desired/charts/desired-chart.ts'
import { patchedObjects } from '../../desired/charts/patched-objects.ts'
import type { RenderedChart } from '../../desired/installation/manifests.ts'
import type { ChartSet } from '../../io/charts.ts'
import { chartsFault, foreignObject } from '../../rules/installation/charts-fault.ts'
import { targetTag } from '../../rules/version.ts'
import type { ChartReaderInput } from '../reader-input.ts'

type Rendered = {
  readonly charts: readonly RenderedChart[]
  /** The origin of the charts with version and digest, for the status. */
  readonly source: string
}

/** Rejects with ArtifactError, RenderError or RendererBusy. */
export const renderedCharts = async (
  operator: IstioOperator,
  input: ChartReaderInput,
): Promise<Rendered | { readonly fault: string }> => {
  const { charts, world, log } = input
  const { settings, istio } = world
  const set = await charts.set(settings.charts ?? settings.fallbackCharts ?? '')
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

/** The version in the control plane's chart. Charts of Istio's source tree all have the same version, which says nothing. */
const versionOf = ({ files }: ChartSet): string => {
  const file = files.get('istio-control/istio-discovery/Chart.yaml')
  const about = file && readYaml(Buffer.from(file).toString('utf8'))
  const [version] = ['appVersion', 'version'].flatMap(field => valueAt(about, field) ?? [])
  return isText(version) || typeof version === 'number' ? shortened(longestVersion, String(version)) : 'unknown'
}

/** A longer version is cut, since it goes into the status. */
const longestVersion = 100
