// Merges values over defaults as Helm does: maps are merged, everything else is replaced. A null takes the default away now, or
// is kept until the defaults are final.
import { type JsonMap, mapOrEmpty } from '../../../core/json/json.ts'
import { goValue, jsonValue } from '../../template/value/json.ts'
import { GoMap, type GoValue } from '../../template/value/value.ts'

export type Nulls = 'delete' | 'keep'

/**
 * Puts the defaults under the values, in place; parts of the defaults become parts of the values. Helm writes nulls over the
 * defaults themselves, so that a subchart which lends these loses what another one's null takes away.
 */
export const layUnder = (values: GoMap, defaults: GoMap, nulls: Nulls): void => {
  const presets = [...defaults]
  for (const [key, value] of values) if (value === null) defaults.set(key, null)
  for (const [key, preset] of presets) layOneUnder(values, { key, preset }, nulls)
}

/** The same for one key. */
export const layOneUnder = (values: GoMap, { key, preset }: Default, nulls: Nulls): void => {
  const value = values.get(key)
  if (!values.has(key)) values.set(key, preset)
  else if (value === null && preset !== null && nulls === 'delete') values.delete(key)
  else if (value instanceof GoMap && preset instanceof GoMap) layUnder(value, preset, nulls)
}

type Default = { readonly key: string; readonly preset: GoValue }

/** A copy as templates see it, which may be changed. */
export const valuesOf = (json: JsonMap): GoMap => {
  const values = goValue(json)
  return values instanceof GoMap ? values : new GoMap()
}

/** The map at a dotted path; undefined where there is none. */
export const tableAt = (values: GoMap, path: string): GoMap | undefined => {
  let table: GoValue = values
  for (const part of path.split('.')) table = table instanceof GoMap ? table.get(part) : undefined
  return table instanceof GoMap ? table : undefined
}

/** Back to JSON; a copy. */
export const jsonOf = (values: GoMap): JsonMap => {
  const json = jsonValue(values)
  return mapOrEmpty(json)
}
