// What garden-care looks at: the components of a Garden, all well unless a test says otherwise.
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'

const conditions = (statuses: Record<string, string>, reason = 'AsExpected') =>
  Object.entries(statuses).map(([type, status]) => ({ type, status, reason, message: `${type} is ${status}` }))

export type Change = { metadata?: object; spec?: object; status?: object }

const made =
  (apiVersion: string, kind: string, status: object) =>
  (name: string, change: Change = {}, namespace = 'garden'): KubeObject =>
    mergePatched(
      { apiVersion, kind, metadata: { namespace, name, generation: 1 }, status: { observedGeneration: 1, ...status } },
      change,
    ) as KubeObject

export const managedResource = made('resources.gardener.cloud/v1alpha1', 'ManagedResource', {
  conditions: conditions({ ResourcesApplied: 'True', ResourcesHealthy: 'True', ResourcesProgressing: 'False' }),
})

export const etcd = made('druid.gardener.cloud/v1alpha1', 'Etcd', {
  ready: true,
  conditions: conditions({ BackupReady: 'True' }),
})

export const deployment = made('apps/v1', 'Deployment', {
  conditions: conditions({ Available: 'True', Progressing: 'True' }),
})

export const statefulSet = (name: string, change: Change = {}): KubeObject =>
  mergePatched(
    made('apps/v1', 'StatefulSet', { replicas: 1, readyReplicas: 1 })(name, { spec: { replicas: 1 } }),
    change,
  ) as KubeObject

/** The same conditions with others in their place. */
export const withConditions = (statuses: Record<string, string>, reason?: string): Change => ({
  status: { conditions: conditions(statuses, reason) },
})

/** By the condition that tells how they are. */
export const managedResourceNames = {
  runtime: ['etcd-druid', 'garden-system', 'vpa'],
  istio: ['istio-system', 'virtual-garden-istio'],
  virtual: [
    'shoot-core-kube-controller-manager',
    'shoot-core-gardener-resource-manager',
    'shoot-core-gardeneraccess',
    'garden-system-virtual',
    'gardener-apiserver-runtime',
    'gardener-apiserver-virtual',
    'gardener-admission-controller-runtime',
    'gardener-admission-controller-virtual',
    'gardener-controller-manager-runtime',
    'gardener-controller-manager-virtual',
    'gardener-scheduler-runtime',
    'gardener-scheduler-virtual',
  ],
  observability: [
    'vali',
    'fluent-operator',
    'fluent-bit',
    'fluent-operator-custom-resources-garden',
    'kube-state-metrics',
    'plutono',
    'gardener-metrics-exporter-runtime',
    'gardener-metrics-exporter-virtual',
  ],
} as const

export const etcdNames = ['virtual-garden-etcd-main', 'virtual-garden-etcd-events'] as const

export const deploymentNames = {
  virtual: [
    'virtual-garden-gardener-resource-manager',
    'virtual-garden-kube-apiserver',
    'virtual-garden-kube-controller-manager',
  ],
  observability: ['plutono', 'kube-state-metrics', 'gardener-metrics-exporter', 'fluent-operator'],
} as const

/** All that a Garden without gates consists of, as far as its health is told by it. */
export const components = (): KubeObject[] => {
  const { runtime, istio, virtual, observability } = managedResourceNames
  return [
    ...[...runtime, ...virtual, ...observability].map(name => managedResource(name)),
    ...istio.map(name => managedResource(name, {}, 'istio-system')),
    ...etcdNames.map(name => etcd(name)),
    ...[...deploymentNames.virtual, ...deploymentNames.observability].map(name => deployment(name)),
    statefulSet('vali'),
  ]
}
