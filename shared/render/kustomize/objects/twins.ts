// A label set by one transformer in several places of an object is one value from then on: who changes it in one place
// changes it in all. Whoever relies on kubectl's results relies on this too: an overlay that changes a common label
// without selectors changes the selectors with it.
import { own, put } from '../../../core/json/fields.ts'
import type { JsonMap } from '../../../core/json/json.ts'

type Place = { readonly map: JsonMap; readonly key: string }

export type Twins = { readonly value: unknown; readonly places: readonly Place[] }

/** A resource, as far as it is the concern here. */
type Twinned = { twins: readonly Twins[] }

/** From now on these entries are one value. */
export const tie = (resource: Twinned, places: readonly Place[]): void => {
  const [first] = places
  if (first && places.length > 1) resource.twins = [...resource.twins, { value: own(first.map, first.key), places }]
}

/** After a change: entries that were changed pass their value on to their twins. */
export const settleTwins = (resource: Twinned): void => {
  resource.twins = resource.twins.map(({ value, places }) => {
    const left = places.filter(({ map, key }) => Object.hasOwn(map, key))
    const changed = left.findLast(({ map, key }) => own(map, key) !== value)
    const current = changed ? own(changed.map, changed.key) : value
    for (const { map, key } of left) put(map, key, current)
    return { value: current, places: left }
  })
}
