// import-values: a parent takes parts of a subchart's values as its own defaults.
import { isMap } from '../../../core/json/json.ts'
import { GoMap } from '../../template/value/value.ts'
import type { Chart, Dependency } from '../chart/chart.ts'
import { coalesced } from '../values/coalesce.ts'
import { jsonOf, layUnder, tableAt } from '../values/merge.ts'

/** The chart with the imports in its values, from the leaves up. */
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

/** Parts of the values themselves, as in Helm, but empty ones; what is missing in the subchart is not imported. */
const importsOf = (dependency: Dependency, values: GoMap): GoMap[] =>
  importRules(dependency).flatMap(({ child, parent }) => {
    const table = tableAt(values, `${dependency.name}.${child}`)
    return table ? [placedAt(parent, table.size === 0 ? new GoMap() : table)] : []
  })

type ImportRule = { readonly child: string; readonly parent: string }

/** A text is short for what the subchart exports under that name, put at the top. */
export const importRules = ({ importValues }: Dependency): ImportRule[] =>
  importValues.flatMap(rule => {
    if (typeof rule === 'string') return [{ child: `exports.${rule}`, parent: '.' }]
    return isMap(rule) ? [{ child: String(rule.child), parent: String(rule.parent) }] : []
  })

const placedAt = (path: string, table: GoMap): GoMap =>
  path === '.' ? table : path.split('.').reduceRight((inner, part) => new GoMap([[part, inner]]), table)
