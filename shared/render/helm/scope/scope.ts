// What the templates of a chart see as `.`, and the templates in the order in which they are parsed and executed.
import type { RenderContext } from '../../generator.ts'
import { GoMap, type GoValue, mapOf } from '../../template/value/value.ts'
import { type Chart, isLibrary } from '../chart/chart.ts'
import { capabilities } from './capabilities.ts'
import { chartFiles } from './chart-files.ts'
import { chartMap } from './chart-map.ts'
import { chartValues } from './chart-values.ts'

/** A file below `templates/`. Those of one chart share their scope: what one of them sets, the next ones see. */
export type ChartTemplate = {
  readonly name: string
  readonly text: string
  readonly scope: GoMap
  /** Its folder `templates`, as `.Template.BasePath` says it. */
  readonly folder: string
}

/** Deepest first, then from the end of the alphabet: definitions of a chart win over those of its subcharts. */
export const templatesOf = (chart: Chart, values: GoMap, context: RenderContext): ChartTemplate[] => {
  const release = mapOf(releaseEntries(context))
  const shared = mapOf([
    ['Release', release],
    ['Capabilities', capabilities(context.cluster)],
  ])
  const { templates } = chartScope(chart, { path: chart.name, values, shared, isRoot: true })
  return templates.toSorted(
    (a, b) => depth(b.name) - depth(a.name) || Buffer.compare(Buffer.from(b.name), Buffer.from(a.name)),
  )
}

const releaseEntries = ({ name, namespace, revision }: RenderContext): [string, GoValue][] => [
  ['Name', name],
  ['Namespace', namespace],
  ['Revision', BigInt(revision)],
  ['IsInstall', revision === 1],
  ['IsUpgrade', revision !== 1],
  ['Service', 'Helm'],
]

const depth = (name: string): number => name.split('/').length

type Place = { readonly path: string; readonly values: GoMap; readonly shared: GoMap; readonly isRoot: boolean }

const chartScope = (chart: Chart, place: Place): { scope: GoMap; templates: ChartTemplate[] } => {
  const below = chart.charts.map(sub => ({ name: sub.name, ...chartScope(sub, placeOf(sub, place)) }))
  const scope = new GoMap([
    ...place.shared,
    ['Chart', chartMap(chart, place.isRoot)],
    ['Files', chartFiles(chart.files)],
    ['Values', chartValues(place.values)],
    ['Subcharts', mapOf(below.map(({ name, scope }) => [name, scope]))],
  ])
  return { scope, templates: [...ownTemplates(chart, place, scope), ...below.flatMap(({ templates }) => templates)] }
}

const placeOf = ({ name }: Chart, { path, values, shared }: Place): Place => {
  const inside = values.get(name)
  return {
    path: `${path}/charts/${name}`,
    values: inside instanceof GoMap ? inside : new GoMap(),
    shared,
    isRoot: false,
  }
}

/** A library only lends its definitions. */
const ownTemplates = (chart: Chart, { path }: Place, scope: GoMap): ChartTemplate[] =>
  [...chart.templates]
    .filter(([file]) => !isLibrary(chart) || isPartial(file))
    .map(([file, bytes]) => ({
      name: `${path}/${file}`,
      text: Buffer.from(bytes).toString('utf8'),
      scope,
      folder: `${path}/templates`,
    }))

/** Files that are included by others and give no objects of their own. */
export const isPartial = (path: string): boolean => path.slice(path.lastIndexOf('/') + 1).startsWith('_')
