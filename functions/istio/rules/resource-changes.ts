// When mesh resources last changed that proxies start with.
import { istioNames } from '../../../shared/api/istio/names.ts'
import type { KubeObject } from '../../../shared/core/object.ts'
import { type Restarted, resourceName } from '../desired/resources/resource-row.ts'
import type { ResourcesFacts } from '../world.ts'

/** As we noted it, in milliseconds; undefined: there is no note. */
export const changeTime = ({ metadata }: KubeObject): number | undefined => {
  const time = Date.parse(metadata.annotations?.[istioNames.annotations.updatedAt] ?? '')
  return Number.isFinite(time) ? time : undefined
}

/** Of all that these start with; undefined: nothing has changed. */
export const lastChange = (restarted: Restarted, { rows, live }: ResourcesFacts): number | undefined => {
  const meant = rows.filter(({ predicates }) => predicates?.includes(restarted))
  const times = meant.flatMap(({ ref }) => {
    const found = live.get(resourceName(ref))
    return (found && 'read' in found && found.read && changeTime(found.read)) || []
  })
  return times.length > 0 ? Math.max(...times) : undefined
}
