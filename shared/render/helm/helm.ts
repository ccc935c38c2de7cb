// `helm(files)` renders a chart for the engine; `template(files)` does what `helm template --include-crds` does.
import type { JsonMap } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { type Written, writtenIn } from '../documents.ts'
import {
  type At,
  blaming,
  type Files,
  type Lookup,
  ofArtifact,
  type Render,
  type RenderContext,
  RenderError,
  type Rendering,
} from '../generator.ts'
import { answered, Environment, execute, parseTemplates, type TemplateSet } from '../template/template.ts'
import { mapOf } from '../template/value/value.ts'
import { type Chart, fits, isLibrary, withSubcharts } from './chart.ts'
import { withEnabledCharts, withImportedValues } from './dependencies.ts'
import { withoutHelmAnnotations } from './hooks.ts'
import { loadChart } from './load.ts'
import { validateValues } from './schema.ts'
import { type ChartTemplate, chartValues, isPartial, plainKubeVersion, templatesOf } from './scope.ts'
import { coalesced, jsonOf } from './values.ts'

/**
 * The renderer of the Helm chart in these files. Throws RenderError.
 *
 *   const generator = rendering(helm(files))
 */
export const helm = (files: Files, at?: At): Render => {
  const render = template(files, at)
  return (context, parameters) =>
    blaming({ kind: 'unrenderable', rendered: 'chart' }, () => {
      const rendering = render(context, parameters)
      if ('needs' in rendering) return rendering
      const { objects, places } = rendering
      return { objects: withoutHelmAnnotations(withoutRepeatedDefinitions(objects), places, context) }
    })
}

/** A subchart with two aliases brings its definitions twice. Helm skips a definition that exists. */
const withoutRepeatedDefinitions = (objects: readonly KubeObject[]): KubeObject[] => {
  const names = new Set<string>()
  return objects.filter(({ kind, metadata: { name } }) => {
    const isRepeated = kind === 'CustomResourceDefinition' && names.has(name)
    if (kind === 'CustomResourceDefinition') names.add(name)
    return !isRepeated
  })
}

/** `places`: where each object was written. */
type Templated =
  | { readonly objects: readonly KubeObject[]; readonly places: ReadonlyMap<KubeObject, Written> }
  | Extract<Rendering, { needs: unknown }>

/** Leaves Helm's annotations on the objects. */
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
    throw new RenderError(
      `found in Chart.yaml, but missing in charts/ directory: ${missing.map(({ name }) => name).join(', ')}`,
    )
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

/** Executes all templates, NOTES.txt too, so that a chart that fails in Helm fails here. */
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

const definitions = (chart: Chart, context: RenderContext): (readonly [KubeObject, Written])[] =>
  withSubcharts(chart).flatMap(({ name, files }) =>
    [...files]
      .filter(([path]) => /^crds\/.*\.(yaml|yml|json)$/s.test(path))
      .flatMap(([path, bytes]) =>
        objectsOf({ path: `${name}/${path}`, text: Buffer.from(bytes).toString('utf8') }, context),
      ),
  )
