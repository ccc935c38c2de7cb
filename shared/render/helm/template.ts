// Does what `helm template --include-crds` does: renders a chart with values into objects.
import type { JsonMap } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { ofArtifact } from '../blame.ts'
import {
  type At,
  type Files,
  type Lookup,
  type Render,
  type RenderContext,
  RenderError,
  type Rendering,
} from '../generator.ts'
import { answered, Environment, execute, parseTemplates, type TemplateSet } from '../template/template.ts'
import { mapOf } from '../template/value/value.ts'
import { type Chart, isLibrary, withSubcharts } from './chart/chart.ts'
import { loadChart } from './chart/load.ts'
import { fits } from './chart/versions.ts'
import { withEnabledCharts } from './dependencies/enabled.ts'
import { withImportedValues } from './dependencies/imports.ts'
import { type Written, writtenIn } from './objects/documents.ts'
import { plainKubeVersion } from './scope/capabilities.ts'
import { chartValues } from './scope/chart-values.ts'
import { type ChartTemplate, isPartial, templatesOf } from './scope/scope.ts'
import { coalesced } from './values/coalesce.ts'
import { jsonOf } from './values/merge.ts'
import { validateValues } from './values/schema.ts'

/** `places`: where each of the objects was written. */
type Templated =
  | { readonly objects: readonly KubeObject[]; readonly places: ReadonlyMap<KubeObject, Written> }
  | Extract<Rendering, { needs: unknown }>

/** Helm's annotations are still on the objects. Throws RenderError where the files are no chart that can be rendered. */
export const template = (files: Files, at?: At): ((...given: Parameters<Render>) => Templated) => {
  const chart = ofArtifact(() => loadedChart(files, at))
  return (context, parameters) => {
    ofArtifact(() => refuseCluster(chart, context))
    const used = withImportedValues(withEnabledCharts(chart, parameters))
    const outputs = outputsOf(templatesFor(used, context, parameters), context)
    if ('needs' in outputs) return outputs
    const defined = ofArtifact(() => definitions(used, context))
    const written = [...defined, ...outputs.texts.flatMap(output => objectsOf(output, context))]
    return { objects: written.map(([object]) => object), places: new Map(written) }
  }
}

const loadedChart = (files: Files, at?: At): Chart => {
  const chart = loadChart(files, at)
  refuseChart(chart)
  return chart
}

const refuseChart = (chart: Chart): void => {
  if (isLibrary(chart)) throw new RenderError(`chart ${chart.name} is a library and cannot be installed`)
  const missing = chart.metadata.dependencies.filter(({ name }) => !chart.charts.some(sub => sub.name === name))
  if (missing.length > 0)
    throw new RenderError(`in Chart.yaml, but missing in charts/: ${missing.map(({ name }) => name).join(', ')}`)
}

const refuseCluster = ({ metadata: { kubeVersion } }: Chart, { cluster }: RenderContext): void => {
  if (kubeVersion !== '' && !fits(plainKubeVersion(cluster.version), kubeVersion))
    throw new RenderError(
      `chart requires kubeVersion: ${kubeVersion} which is incompatible with Kubernetes ${cluster.version}`,
    )
}

const templatesFor = (chart: Chart, context: RenderContext, parameters: JsonMap): ChartTemplate[] => {
  const values = coalesced(chart, parameters, 'delete')
  context.at?.(`${chart.name}/values.schema.json`)
  validateValues(chart, jsonOf(values))
  return templatesOf(chart, values, context)
}

type Output = { readonly path: string; readonly text: string }
type Outputs = { readonly texts: readonly Output[] } | { readonly needs: readonly Lookup[] }

/** All templates are executed, notes for the user too, because what fails in Helm is to fail here. */
const outputsOf = (templates: readonly ChartTemplate[], context: RenderContext): Outputs => {
  const set = parseTemplates(templates, { at: context.at })
  const environment = new Environment(context)
  const texts = answered(environment, () =>
    templates.filter(({ name }) => !isPartial(name)).map(each => output(set, each, environment)),
  )
  if ('needs' in texts) return texts
  return { texts: texts.result.filter(({ path }) => !path.endsWith('NOTES.txt')).toSorted(byPath) }
}

const output = (set: TemplateSet, { name, scope, folder }: ChartTemplate, environment: Environment): Output => {
  environment.context.at?.(name)
  const about = mapOf([
    ['Name', name],
    ['BasePath', folder],
  ])
  return { path: name, text: execute(set, name, chartValues(scope.set('Template', about)), environment) }
}

const objectsOf = ({ text, path }: Output, { at }: RenderContext): (readonly [KubeObject, Written])[] => {
  at?.(path)
  return writtenIn(text, path)
}

const byPath = (a: Output, b: Output): number => (a.path < b.path ? -1 : 1)

/** The files below `crds/`, which are not templates. */
const definitions = (chart: Chart, context: RenderContext): (readonly [KubeObject, Written])[] =>
  withSubcharts(chart).flatMap(({ name, files }) =>
    [...files]
      .filter(([path]) => /^crds\/.*\.(yaml|yml|json)$/s.test(path))
      .flatMap(([path, bytes]) =>
        objectsOf({ path: `${name}/${path}`, text: Buffer.from(bytes).toString('utf8') }, context),
      ),
  )
