// The fields that transformers change by default; configurations can add more fields. Kinds with Pods share one list of places, relative to the
// path of the Pod.
import type { GvkPattern } from '../objects/identity.ts'
import type { FieldSpec } from './field-spec.ts'

const workloads = ['Deployment', 'ReplicaSet', 'DaemonSet', 'StatefulSet'] as const
const apps = 'apps'
const batch = 'batch'

const spec = (path: string, pattern: GvkPattern = {}, create = false): FieldSpec => ({ ...pattern, path, create })

const replicationController = { version: 'v1', kind: 'ReplicationController' }
const job = { group: batch, kind: 'Job' }
const cronJob = { group: batch, kind: 'CronJob' }
const statefulSet = { group: apps, kind: 'StatefulSet' }

export const templateLabels: readonly FieldSpec[] = [
  spec('metadata/labels', {}, true),
  spec('spec/template/metadata/labels', replicationController, true),
  ...['Deployment', 'ReplicaSet', 'DaemonSet'].map(kind => spec('spec/template/metadata/labels', { kind }, true)),
  spec('spec/template/metadata/labels', statefulSet, true),
  spec('spec/volumeClaimTemplates[]/metadata/labels', statefulSet, true),
  spec('spec/template/metadata/labels', job, true),
  spec('spec/jobTemplate/metadata/labels', cronJob, true),
  spec('spec/jobTemplate/spec/template/metadata/labels', cronJob, true),
]

const affinityTerms = ['podAffinity', 'podAntiAffinity'].flatMap(affinity => [
  `affinity/${affinity}/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm`,
  `affinity/${affinity}/requiredDuringSchedulingIgnoredDuringExecution`,
])

const podSelectors = [...affinityTerms, 'topologySpreadConstraints'].map(
  place => `spec/template/spec/${place}/labelSelector/matchLabels`,
)

/** Labels, and every selector that must match them. */
export const commonLabels: readonly FieldSpec[] = [
  spec('spec/selector', { version: 'v1', kind: 'Service' }, true),
  spec('spec/selector', replicationController, true),
  ...['Deployment', 'ReplicaSet', 'DaemonSet'].map(kind => spec('spec/selector/matchLabels', { kind }, true)),
  spec('spec/selector/matchLabels', statefulSet, true),
  ...['Deployment', 'StatefulSet'].flatMap(kind => podSelectors.map(path => spec(path, { group: apps, kind }))),
  spec('spec/selector/matchLabels', job),
  spec('spec/jobTemplate/spec/selector/matchLabels', cronJob),
  spec('spec/selector/matchLabels', { group: 'policy', kind: 'PodDisruptionBudget' }),
  ...['spec/podSelector', 'spec/ingress/from/podSelector', 'spec/egress/to/podSelector'].map(path =>
    spec(`${path}/matchLabels`, { group: 'networking.k8s.io', kind: 'NetworkPolicy' }),
  ),
  ...templateLabels,
]

export const commonAnnotations: readonly FieldSpec[] = [
  spec('metadata/annotations', {}, true),
  spec('spec/template/metadata/annotations', replicationController, true),
  ...workloads.map(kind => spec('spec/template/metadata/annotations', { kind }, true)),
  spec('spec/template/metadata/annotations', job, true),
  spec('spec/jobTemplate/metadata/annotations', cronJob, true),
  spec('spec/jobTemplate/spec/template/metadata/annotations', cronJob, true),
]

/** The fields with a namespace, besides metadata.namespace. */
export const namespace: readonly FieldSpec[] = [
  spec('metadata/name', { kind: 'Namespace' }, true),
  spec('spec/service/namespace', { group: 'apiregistration.k8s.io', kind: 'APIService' }, true),
  spec('spec/conversion/webhook/clientConfig/service/namespace', {
    group: 'apiextensions.k8s.io',
    kind: 'CustomResourceDefinition',
  }),
]

export const replicas: readonly FieldSpec[] = ['Deployment', 'ReplicationController', 'ReplicaSet', 'StatefulSet'].map(
  kind => spec('spec/replicas', { kind }, true),
)

export const images: readonly FieldSpec[] = ['spec', 'spec/template/spec'].flatMap(pod =>
  ['containers[]/image', 'initContainers[]/image', 'volumes[]/image/reference'].map(place =>
    spec(`${pod}/${place}`, {}, true),
  ),
)

export const names: readonly FieldSpec[] = [spec('metadata/name')]

const containerTexts = ['containers', 'initContainers'].flatMap(list =>
  ['args', 'command', 'env/value', 'volumeMounts/mountPath'].map(place => `${list}/${place}`),
)

const podTexts = (pod: string, kind: string): FieldSpec[] =>
  [...containerTexts, 'volumes/nfs/server'].map(place => spec(`${pod}/${place}`, { kind }))

export const varReference: readonly FieldSpec[] = [
  ...containerTexts.map(place => spec(`spec/jobTemplate/spec/template/spec/${place}`, { kind: 'CronJob' })),
  spec('spec/jobTemplate/spec/template/volumes/nfs/server', { kind: 'CronJob' }),
  ...['DaemonSet', 'Deployment', 'Job', 'ReplicaSet'].flatMap(kind => podTexts('spec/template/spec', kind)),
  ...containerTexts.map(place => spec(`spec/template/spec/${place}`, { kind: 'StatefulSet' })),
  spec('spec/volumeClaimTemplates/spec/nfs/server', { kind: 'StatefulSet' }),
  ...podTexts('spec', 'Pod'),
  spec('spec/template/metadata/annotations', { kind: 'Deployment' }),
  ...['spec/rules/host', 'spec/tls/hosts', 'spec/tls/secretName'].map(path => spec(path, { kind: 'Ingress' })),
  ...['spec/ports/port', 'spec/ports/targetPort'].map(path => spec(path, { kind: 'Service' })),
  spec('spec/nfs/server', { kind: 'PersistentVolume' }),
  spec('metadata/labels'),
  spec('metadata/annotations'),
]
