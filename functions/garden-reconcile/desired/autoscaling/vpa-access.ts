// Rights of the VerticalPodAutoscaler's programs.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { allow, leadership, namespaceAccess, programAccount, programClusterAccess, verbs } from '../parts/rbac.ts'

const targets = [
  allow('*', '*/scale', 'get watch'),
  allow('', 'replicationcontrollers', verbs.read),
  allow('apps', 'daemonsets deployments replicasets statefulsets', verbs.read),
  allow('batch', 'jobs cronjobs', verbs.read),
  allow('druid.gardener.cloud', 'etcds etcds/scale', verbs.read),
]

const watching = [
  allow('', 'pods nodes limitranges configmaps', verbs.read),
  allow('autoscaling.k8s.io', 'verticalpodautoscalers', verbs.read),
]

const acting = [
  ...watching,
  allow(' events.k8s.io', 'events', 'create get list watch patch update'),
  allow('coordination.k8s.io', 'leases', verbs.read),
]

/** `InPlaceOrRecreate` changes running Pods. */
const updating = [
  allow('apps extensions', 'replicasets', 'get'),
  allow('', 'pods/eviction', 'create'),
  allow('', 'pods pods/resize', 'patch'),
]

const recommending = [
  allow('metrics.k8s.io', 'pods', 'get list'),
  allow('autoscaling.k8s.io', 'verticalpodautoscalercheckpoints', `${verbs.read} create patch delete`),
  allow('', 'namespaces', 'get list'),
  allow('autoscaling.k8s.io', 'verticalpodautoscalers/status', 'get patch'),
]

const admitting = [
  ...watching,
  allow('admissionregistration.k8s.io', 'mutatingwebhookconfigurations', 'create delete get list'),
  allow('coordination.k8s.io', 'leases', 'create update get list watch'),
]

export const vpaAccess: readonly KubeObject[] = [
  ...['vpa-recommender', 'vpa-updater', 'vpa-admission-controller'].map(name => programAccount(name)),
  ...programClusterAccess('vpa-recommender', [...targets, ...acting, ...recommending]),
  ...programClusterAccess('vpa-updater', [...targets, ...acting, ...updating]),
  ...programClusterAccess('vpa-admission-controller', [...targets, ...admitting]),
  ...namespaceAccess('vpa-recommender', leadership('vpa-recommender')),
  ...namespaceAccess('vpa-updater', leadership('vpa-updater')),
]

/** The ports of recommender, updater and admission serve metrics. */
export const vpaPorts = { recommender: 8942, updater: 8943, admission: 8944, webhook: 10_250 } as const

export const certificateFolder = '/etc/tls-certs'
