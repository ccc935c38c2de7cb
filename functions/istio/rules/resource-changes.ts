// When the mesh resources last changed that proxies read only at their start.
import { istioNames } from '../../../shared/api/istio/names.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { type Restarted, resourceName } from '../desired/resources/resource-row.ts'
import type { ResourcesFacts } from '../world.ts'

/** By our annotation, in unix milliseconds; undefined: there is none. */
export const changeTime = ({ metadata }: KubeObject): number | undefined => {
  const time = Date.parse(metadata.annotations?.[istioNames.annotations.updatedAt] ?? '')
  return Number.isFinite(time) ? time : undefined
}

/** The last change of all resources that these proxies read at their start; undefined: none changed. */
export const lastChange = (restarted: Restarted, { rows, live }: ResourcesFacts): number | undefined => {
  const meant = rows.filter(({ predicates }) => predicates?.includes(restarted))
  const times = meant.flatMap(({ ref }) => {
    const found = live.get(resourceName(ref))
    return (found && 'read' in found && found.read && changeTime(found.read)) || []
  })
  return times.length > 0 ? Math.max(...times) : undefined
}
