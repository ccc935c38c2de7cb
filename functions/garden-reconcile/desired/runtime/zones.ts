// The zones over which the resource manager spreads the Pods of a namespace.
import type { World } from '../../world.ts'
import { prefixes } from '../parts/names.ts'

/** `{ annotations }` of a Namespace, or nothing. */
export const zonesAnnotation = ({ garden }: World): { annotations?: Record<string, string> } => {
  const { zones = [] } = garden.spec.runtimeCluster.provider
  return zones.length > 0 ? { annotations: { [`${prefixes.highAvailability}/zones`]: zones.join() } } : {}
}
