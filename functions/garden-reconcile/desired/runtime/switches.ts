// What a Garden or the installation switches on or off in the runtime cluster.
import { servesKind } from '../../rules/objects.ts'
import type { GardenFeatureGate } from '../../settings.ts'
import type { World } from '../../world.ts'

export const hasGate = ({ settings }: World, gate: GardenFeatureGate): boolean => settings.featureGates.includes(gate)

/** The Garden brings the VerticalPodAutoscaler. If not, the cluster must have one. */
export const needsVpa = ({ garden }: World): boolean =>
  garden.spec.runtimeCluster.settings?.verticalPodAutoscaler?.enabled ?? true

// All workloads of a Garden rely on a VerticalPodAutoscaler. If the Garden brings none, the runtime cluster must have one.

const verticalPodAutoscaler = { apiVersion: 'autoscaling.k8s.io/v1', kind: 'VerticalPodAutoscaler' }

export const vpaFaults = (world: World): readonly string[] =>
  needsVpa(world) || servesKind(world.runtime, verticalPodAutoscaler)
    ? []
    : ['VPA is required for runtime cluster but CRD is not installed']
