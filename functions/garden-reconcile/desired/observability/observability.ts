// What shows how the Garden does: metrics of both clusters, and Plutono.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { kubeStateMetrics } from './kube-state-metrics.ts'
import { metricsExporter } from './metrics-exporter.ts'
import { plutono } from './plutono.ts'

export const observability = (world: World): KubeObject[] => [
  ...kubeStateMetrics(world),
  ...plutono(world),
  ...metricsExporter(world),
]
