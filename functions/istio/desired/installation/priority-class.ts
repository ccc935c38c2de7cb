// The PriorityClass of the mesh's own Pods: they come before those of users, and after those of the cluster.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import type { KubeObject, ObjectRef } from '../../../../shared/core/objects/object.ts'

export const priorityClassRef: ObjectRef = {
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  namespace: '',
  name: 'istio-kyma-priority',
}

export const meshPriorityClass = (): KubeObject => ({
  apiVersion: priorityClassRef.apiVersion,
  kind: priorityClassRef.kind,
  metadata: { name: priorityClassRef.name, labels: { [istioNames.labels.module]: istioNames.module } },
  value: 2_100_000,
  description: 'For the workloads of Istio',
})
