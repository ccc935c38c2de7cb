// What the VerticalPodAutoscaler's programs may do.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { namespaceAccess, programAccount, programClusterAccess, programRule } from '../parts/program-access.ts'
import type { RoleRule } from '../parts/rbac.ts'

const read = 'get list watch'

const targets = [
  programRule('*', '*/scale', 'get watch'),
  programRule('', 'replicationcontrollers', read),
  programRule('apps', 'daemonsets deployments replicasets statefulsets', read),
  programRule('batch', 'jobs cronjobs', read),
  programRule('druid.gardener.cloud', 'etcds etcds/scale', read),
]

const watching = [
  programRule('', 'pods nodes limitranges configmaps', read),
  programRule('autoscaling.k8s.io', 'verticalpodautoscalers', read),
]

const acting = [
  ...watching,
  programRule(' events.k8s.io', 'events', 'create get list watch patch update'),
  programRule('coordination.k8s.io', 'leases', read),
]

/** `InPlaceOrRecreate` changes Pods that run. */
const updating = [
  programRule('apps extensions', 'replicasets', 'get'),
  programRule('', 'pods/eviction', 'create'),
  programRule('', 'pods pods/resize', 'patch'),
]

const recommending = [
  programRule('metrics.k8s.io', 'pods', 'get list'),
  programRule('autoscaling.k8s.io', 'verticalpodautoscalercheckpoints', `${read} create patch delete`),
  programRule('', 'namespaces', 'get list'),
  programRule('autoscaling.k8s.io', 'verticalpodautoscalers/status', 'get patch'),
]

const admitting = [
  ...watching,
  programRule('admissionregistration.k8s.io', 'mutatingwebhookconfigurations', 'create delete get list'),
  programRule('coordination.k8s.io', 'leases', 'create update get list watch'),
]

const leading = (name: string): RoleRule[] => [
  programRule('coordination.k8s.io', 'leases', 'create'),
  { ...programRule('coordination.k8s.io', 'leases', 'get watch update'), resourceNames: [name] },
]

export const vpaAccess: readonly KubeObject[] = [
  ...['vpa-recommender', 'vpa-updater', 'vpa-admission-controller'].map(name => programAccount(name)),
  ...programClusterAccess('vpa-recommender', [...targets, ...acting, ...recommending]),
  ...programClusterAccess('vpa-updater', [...targets, ...acting, ...updating]),
  ...programClusterAccess('vpa-admission-controller', [...targets, ...admitting]),
  ...namespaceAccess('vpa-recommender', leading('vpa-recommender')),
  ...namespaceAccess('vpa-updater', leading('vpa-updater')),
]
