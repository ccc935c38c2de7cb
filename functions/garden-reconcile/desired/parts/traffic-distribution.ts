// Whether traffic to a Service stays in the zone it comes from.
import type { World } from '../../world.ts'

/** The field of a Service's spec, or nothing: `spec: { ports, ...trafficDistribution(world) }`. */
export const trafficDistribution = ({ garden, runtimeMinor }: World): { trafficDistribution?: string } => {
  const { settings } = garden.spec.runtimeCluster
  if (settings?.topologyAwareRouting?.enabled !== true) return {}
  return { trafficDistribution: runtimeMinor >= 34 ? 'PreferSameZone' : 'PreferClose' }
}
