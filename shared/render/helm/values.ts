// Merges values over defaults as Helm does: maps are merged, everything else is replaced. `delete` applies a null at once, `keep` keeps the
// null until the defaults are final. The user's values win over the parent's values.yaml, which wins over the subchart's own; globals reach
// all subcharts.
import { type JsonMap, mapOrEmpty } from '../../core/json/json.ts'
import { RenderError } from '../generator.ts'
import { goValue, jsonValue } from '../template/format/json.ts'
import { GoMap, type GoValue } from '../template/value/value.ts'
import type { Chart } from './chart.ts'

type Nulls = 'delete' | 'keep'

/**
 * Adds the defaults to the values, in place; maps of the defaults are shared, not copied. As in Helm, a null in the values is also written
 * into `defaults`. So if values of two subcharts are imported into the same map, a null of the first also deletes the value of the second.
 */
export const layUnder = (values: GoMap, defaults: GoMap, nulls: Nulls): void => {
  const presets = [...defaults]
  for (const [key, value] of values) if (value === null) defaults.set(key, null)
  for (const [key, preset] of presets) layOneUnder(values, { key, preset }, nulls)
}

const layOneUnder = (values: GoMap, { key, preset }: Default, nulls: Nulls): void => {
  const value = values.get(key)
  if (!values.has(key)) values.set(key, preset)
  else if (value === null && preset !== null && nulls === 'delete') values.delete(key)
  else if (value instanceof GoMap && preset instanceof GoMap) layUnder(value, preset, nulls)
}

type Default = { readonly key: string; readonly preset: GoValue }

export const valuesOf = (json: JsonMap): GoMap => {
  const values = goValue(json)
  return values instanceof GoMap ? values : new GoMap()
}

export const tableAt = (values: GoMap, path: string): GoMap | undefined => {
  let table: GoValue = values
  for (const part of path.split('.')) table = table instanceof GoMap ? table.get(part) : undefined
  return table instanceof GoMap ? table : undefined
}

export const jsonOf = (values: GoMap): JsonMap => {
  return mapOrEmpty(jsonValue(values))
}

/** The given values with the defaults of the chart. Defaults of a subchart are below the subchart's name. */
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
      throw new RenderError(`values: ${sub.name} is a subchart, so its values must be a map`, { quotesNoValues: true })
    values.set(sub.name, inside)
    passGlobals(values, inside)
    coalesce(sub, inside, nulls)
  }
}

/** A null below a subchart's name is kept, because the null deletes a default of the subchart later. */
const layChartValuesUnder = (values: GoMap, chart: Chart, nulls: Nulls): void => {
  for (const [key, preset] of valuesOf(chart.values)) {
    const isForSubchart = chart.charts.some(({ name }) => name === key)
    if (values.get(key) === null && nulls === 'delete') values.delete(key)
    else layOneUnder(values, { key, preset }, isForSubchart ? 'keep' : nulls)
  }
}

/** Adds the parent's globals. They win, unless only one of both values is a map. As in Helm, nested maps are shared with the parent. */
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
