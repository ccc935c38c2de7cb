// Lets drains evict the Pods of a workload one by one.
import type { KubeObject } from '../../core/objects/object.ts'
import { type Labels, partLabels } from '../manifests/conventions.ts'

/** With one replica, `minAvailable` would block every drain; `maxUnavailable` does not. */
export const podDisruptionBudget = (name: string, namespace: string, matchLabels: Labels): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, namespace, labels: partLabels },
  spec: { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow', selector: { matchLabels } },
})
