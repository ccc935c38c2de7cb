// Components of the runtime cluster that the Garden or the installation switches on or off.
import { servesKind } from '../../rules/objects.ts'
import type { GardenFeatureGate } from '../../settings.ts'
import type { World } from '../../world.ts'

export const hasGate = ({ settings }: World, gate: GardenFeatureGate): boolean => settings.featureGates.includes(gate)

/** Whether the Garden installs the VerticalPodAutoscaler. Otherwise the cluster must already have one. */
export const needsVpa = ({ garden }: World): boolean =>
  garden.spec.runtimeCluster.settings?.verticalPodAutoscaler?.enabled ?? true

// All workloads of a Garden need a VerticalPodAutoscaler. If the Garden installs none, the runtime cluster must already have one.

const verticalPodAutoscaler = { apiVersion: 'autoscaling.k8s.io/v1', kind: 'VerticalPodAutoscaler' }

export const vpaFaults = (world: World): readonly string[] =>
  needsVpa(world) || servesKind(world.runtime, verticalPodAutoscaler)
    ? []
    : ['VPA is required for runtime cluster but CRD is not installed']
