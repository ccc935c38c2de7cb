// Merges values over defaults as Helm does: maps are merged, everything else is replaced. `delete` applies a null at
// once, `keep` keeps it until the defaults are final. The user's values win over the parent's values.yaml, which wins
// over the subchart's own; globals reach all subcharts.
import { type JsonMap, mapOrEmpty } from '../../../core/json/json.ts'
import { RenderError } from '../../generator.ts'
import { goValue, jsonValue } from '../../template/value/json.ts'
import { GoMap, type GoValue } from '../../template/value/value.ts'
import type { Chart } from '../chart/chart.ts'

type Nulls = 'delete' | 'keep'

/**
 * Puts the defaults under the values, in place, sharing parts of the defaults. As in Helm, nulls are written over the
 * defaults themselves: a subchart whose values are imported loses what another one's null deletes.
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
  const json = jsonValue(values)
  return mapOrEmpty(json)
}

/** The chart's values under the given ones, those of its subcharts under their names. */
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

/** A null for a subchart meets the subchart's own values. */
const layChartValuesUnder = (values: GoMap, chart: Chart, nulls: Nulls): void => {
  for (const [key, preset] of valuesOf(chart.values)) {
    const value = values.get(key)
    const isForSubchart = chart.charts.some(({ name }) => name === key)
    if (value === null && nulls === 'delete') values.delete(key)
    else if (value instanceof GoMap && preset instanceof GoMap) layUnder(value, preset, isForSubchart ? 'keep' : nulls)
    else layOneUnder(values, { key, preset }, nulls)
  }
}

/** The parent's globals win, except where a map meets another type. As in Helm, the parent sees additions to maps. */
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
