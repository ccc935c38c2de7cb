// Merges the values of a chart and its subcharts: the user's values win over the parent's values.yaml, which wins over the
// subchart's own. Globals reach all subcharts.
import type { JsonMap } from '../../../core/json/json.ts'
import { RenderError } from '../../generator.ts'
import { GoMap, type GoValue } from '../../template/value/value.ts'
import type { Chart } from '../chart/chart.ts'
import { layOneUnder, layUnder, type Nulls, valuesOf } from './merge.ts'

/** The chart's values under the given ones, those of its subcharts at their names. Throws RenderError. */
export const coalesced = (chart: Chart, given: JsonMap, nulls: Nulls): GoMap => {
  const values = valuesOf(given)
  coalesce(chart, values, nulls)
  return values
}

const coalesce = (chart: Chart, values: GoMap, nulls: Nulls): void => {
  layChartValuesUnder(values, chart, nulls)
  for (const sub of chart.charts) {
    const inside = values.has(sub.name) ? values.get(sub.name) : new GoMap()
    if (!(inside instanceof GoMap))
      throw new RenderError(`values: ${sub.name} is a subchart, and its values are no map`, { quotesNoValues: true })
    values.set(sub.name, inside)
    passGlobals(values, inside)
    coalesce(sub, inside, nulls)
  }
}

/** A null for a subchart is resolved together with the subchart's own values. */
const layChartValuesUnder = (values: GoMap, chart: Chart, nulls: Nulls): void => {
  for (const [key, preset] of valuesOf(chart.values)) {
    const value = values.get(key)
    const isForSubchart = chart.charts.some(({ name }) => name === key)
    if (value === null && nulls === 'delete') values.delete(key)
    else if (value instanceof GoMap && preset instanceof GoMap) layUnder(value, preset, isForSubchart ? 'keep' : nulls)
    else layOneUnder(values, { key, preset }, nulls)
  }
}

/**
 * Globals of the parent count, except where a map meets something else. Maps in the maps of globals are shared with the
 * parent, who so sees what subcharts add to them: Helm does this too, and charts have come to need it.
 */
const passGlobals = (outer: GoMap, inside: GoMap): void => {
  const [source, target] = [globalsOf(outer), globalsOf(inside)]
  if (!source || !target) return
  for (const [key, value] of source) {
    const theirs = target.get(key)
    if (value instanceof GoMap) target.set(key, globalMap(value, theirs, target.has(key)))
    else if (!(theirs instanceof GoMap)) target.set(key, value)
  }
  inside.set('global', target)
}

const globalMap = (ours: GoMap, theirs: GoValue, isThere: boolean): GoValue => {
  if (isThere && !(theirs instanceof GoMap)) return theirs
  const map = new GoMap(ours)
  if (theirs instanceof GoMap) layUnder(map, theirs, 'keep')
  return map
}

const globalsOf = (values: GoMap): GoMap | undefined => {
  const globals = values.has('global') ? values.get('global') : new GoMap()
  return globals instanceof GoMap ? globals : undefined
}
