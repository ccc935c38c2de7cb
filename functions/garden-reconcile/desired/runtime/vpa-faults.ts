// A runtime cluster whose VerticalPodAutoscaler is somebody else's must have one: all workloads of a Garden rely on it.
import { servesKind } from '../../rules/objects.ts'
import type { World } from '../../world.ts'
import { needsVpa } from './switches.ts'

const verticalPodAutoscaler = { apiVersion: 'autoscaling.k8s.io/v1', kind: 'VerticalPodAutoscaler' }

export const vpaFaults = (world: World): readonly string[] =>
  needsVpa(world) || servesKind(world.runtime, verticalPodAutoscaler)
    ? []
    : ['VPA is required for runtime cluster but CRD is not installed']
