// Decides which subcharts are enabled and under which names: aliases, then tags, then conditions, which win over tags.
import type { JsonMap } from '../../../core/json/json.ts'
import { RenderError } from '../../generator.ts'
import { GoMap, type GoValue } from '../../template/value/value.ts'
import { type Chart, type Dependency, usedName } from '../chart/chart.ts'
import { fits } from '../chart/versions.ts'
import { coalesced } from '../values/coalesce.ts'
import { jsonOf, tableAt } from '../values/merge.ts'

/** Under all their aliases: a chart that uses another twice, which uses a third twice, soon has subcharts without number. */
const chartsMost = 1_000

/** `path`: where its values lie in the given ones. `room`: how many charts there may still be. */
type Place = { readonly path: string; readonly room: { charts: number } }

/** The chart with those of its subcharts that the values ask for. Throws RenderError. */
export const withEnabledCharts = (
  chart: Chart,
  given: JsonMap,
  { path, room }: Place = { path: '', room: { charts: chartsMost } },
): Chart => {
  if (--room.charts < 0) throw new RenderError(`more than ${chartsMost} charts are used, under all their aliases`)
  // Without a list of dependencies Helm takes what lies in charts/ as it is, and looks no deeper.
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

/** First the charts in charts/ that are not listed, then the listed charts, each under its alias. A chart may be used several times. */
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

/** The first of its paths that leads to a boolean. */
const conditionOf = ({ condition }: Dependency, values: GoMap, path: string): boolean | undefined =>
  condition
    .trim()
    .split(',')
    .filter(one => one !== '')
    .map(one => valueAt(values, `${path}${one}`))
    .find(value => typeof value === 'boolean')

/** One tag that is true is enough; undefined when none of them is mentioned. */
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
