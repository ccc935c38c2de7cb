// Drains take the Pods of a workload away one after the other.
import type { KubeObject } from '../../core/object.ts'
import { type Labels, partLabels } from '../manifests/conventions.ts'

/** `maxUnavailable` and not `minAvailable`: with one replica the latter would block every drain. */
export const podDisruptionBudget = (name: string, namespace: string, matchLabels: Labels): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, namespace, labels: partLabels },
  spec: { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow', selector: { matchLabels } },
})
