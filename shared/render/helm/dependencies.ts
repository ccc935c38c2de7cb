// Decides which subcharts are enabled and under which names: aliases, then tags, then conditions, which win over tags.
// Then import-values: a parent takes parts of a subchart's values as its own defaults.
import { isMap, type JsonMap } from '../../core/json/json.ts'
import { RenderError } from '../generator.ts'
import { GoMap, type GoValue } from '../template/value/value.ts'
import { type Chart, type Dependency, fits, usedName } from './chart.ts'
import { coalesced, jsonOf, layUnder, tableAt } from './values.ts'

/** Limit of charts, each alias counted. Without it, charts that use each other twice would grow exponentially. */
const chartsMost = 1_000

/** `path`: where the chart's values are in the given values, for example `db.`. `room`: number of charts that may still be added. */
type Place = { readonly path: string; readonly room: { charts: number } }

export const withEnabledCharts = (
  chart: Chart,
  given: JsonMap,
  { path, room }: Place = { path: '', room: { charts: chartsMost } },
): Chart => {
  if (--room.charts < 0)
    throw new RenderError(`the chart uses more than ${chartsMost} charts (each alias counts as a chart)`)
  // Without a list of dependencies, Helm uses all charts in charts/ unchanged, and ignores the dependencies of these charts.
  if (!Array.isArray(chart.metadata.fields.dependencies)) return chart
  const all = { ...chart, charts: usedCharts(chart) }
  const values = coalesced(all, given, 'delete')
  const dependencies = chart.metadata.dependencies.filter(dependency => isEnabled(dependency, values, path))
  const disabled = chart.metadata.dependencies.filter(dependency => !dependencies.includes(dependency)).map(usedName)
  const charts = all.charts.filter(({ name }) => !disabled.includes(name))
  const passed = jsonOf(values)
  return {
    ...all,
    metadata: { ...chart.metadata, dependencies: dependencies.map(each => ({ ...each, name: usedName(each) })) },
    charts: charts.map(sub => withEnabledCharts(sub, passed, { path: `${path}${sub.name}.`, room })),
  }
}

/** First the charts in charts/ that Chart.yaml does not list, then the listed charts, once per alias. */
const usedCharts = ({ charts, metadata: { dependencies } }: Chart): Chart[] => [
  ...charts.filter(chart => !dependencies.some(dependency => isMeant(chart, dependency))),
  ...dependencies.flatMap(dependency => {
    const chart = charts.find(chart => isMeant(chart, dependency))
    return chart ? [{ ...chart, name: usedName(dependency) }] : []
  }),
]

const isMeant = ({ name, metadata }: Chart, dependency: Dependency): boolean =>
  name === dependency.name && fits(metadata.version, dependency.version)

const isEnabled = (dependency: Dependency, values: GoMap, path: string): boolean =>
  conditionOf(dependency, values, path) ?? tagged(dependency, values) ?? true

/** The first path with a boolean value decides. */
const conditionOf = ({ condition }: Dependency, values: GoMap, path: string): boolean | undefined =>
  condition
    .trim()
    .split(',')
    .filter(one => one !== '')
    .map(one => valueAt(values, `${path}${one}`))
    .find(value => typeof value === 'boolean')

/** true if one of the tags is true; undefined if the values set none of the tags. */
const tagged = ({ tags }: Dependency, values: GoMap): boolean | undefined => {
  const table = values.get('tags')
  const switches = table instanceof GoMap ? tags.map(tag => table.get(tag)) : []
  const decided = switches.filter(value => typeof value === 'boolean')
  return decided.length === 0 ? undefined : decided.includes(true)
}

const valueAt = (values: GoMap, path: string): GoValue => {
  const dot = path.lastIndexOf('.')
  const table = dot < 0 ? values : tableAt(values, path.slice(0, dot))
  return table?.get(path.slice(dot + 1))
}

export const withImportedValues = (chart: Chart): Chart => {
  const deep = { ...chart, charts: chart.charts.map(withImportedValues) }
  const { dependencies } = chart.metadata
  if (dependencies.length === 0) return deep
  const values = coalesced(deep, {}, 'keep')
  const imported = new GoMap()
  for (const table of dependencies.flatMap(dependency => importsOf(dependency, values)))
    layUnder(imported, table, 'keep')
  layUnder(values, imported, 'keep')
  return { ...deep, values: jsonOf(values) }
}

/** As in Helm, an imported part is the subchart's own map, but an empty part is a copy. Missing parts are not imported. */
const importsOf = (dependency: Dependency, values: GoMap): GoMap[] =>
  importRules(dependency).flatMap(({ child, parent }) => {
    const table = tableAt(values, `${dependency.name}.${child}`)
    return table ? [placedAt(parent, table.size === 0 ? new GoMap() : table)] : []
  })

type ImportRule = { readonly child: string; readonly parent: string }

/** The text `data` is short for `{ child: exports.data, parent: . }`. */
export const importRules = ({ importValues }: Dependency): ImportRule[] =>
  importValues.flatMap(rule => {
    if (typeof rule === 'string') return [{ child: `exports.${rule}`, parent: '.' }]
    return isMap(rule) ? [{ child: String(rule.child), parent: String(rule.parent) }] : []
  })

const placedAt = (path: string, table: GoMap): GoMap =>
  path === '.' ? table : path.split('.').reduceRight((inner, part) => new GoMap([[part, inner]]), table)
