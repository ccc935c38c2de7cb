// What a Garden or the installation switches on or off in the runtime cluster.
import type { World } from '../../world.ts'

type FeatureGate = 'HVPA' | 'DefaultSeccompProfile'

export const hasGate = ({ settings }: World, gate: FeatureGate): boolean => settings.featureGates.includes(gate)

/** The Garden brings the VerticalPodAutoscaler; else somebody else has to. */
export const needsVpa = ({ garden }: World): boolean =>
  garden.spec.runtimeCluster.settings?.verticalPodAutoscaler?.enabled ?? true
