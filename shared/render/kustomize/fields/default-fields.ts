// The fields that transformers change by default, and the fields with the name of another object; configurations can add more fields. Kinds with Pods
// share one list of places, relative to the path of the Pod.
import type { GvkPattern } from '../resource.ts'
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

export type NameReference = GvkPattern & { readonly fieldSpecs: readonly FieldSpec[] }

type Places = Readonly<Record<string, string | readonly string[]>>

const specs = (places: Places, group?: string): FieldSpec[] =>
  Object.entries(places).flatMap(([kind, paths]) =>
    [paths].flat().map(path => ({ kind, path, ...(group ? { group } : {}) })),
  )

const template = 'spec/template/spec'

const pods: readonly (GvkPattern & { readonly at: string })[] = [
  { kind: 'Pod', version: 'v1', at: 'spec' },
  { kind: 'PodTemplate', at: 'template/spec' },
  ...['Deployment', 'ReplicaSet', 'DaemonSet', 'StatefulSet', 'Job'].map(kind => ({ kind, at: template })),
  { kind: 'CronJob', at: 'spec/jobTemplate/spec/template/spec' },
]

const inPods = (...places: string[]): FieldSpec[] =>
  pods.flatMap(({ at, ...pattern }) => places.map(place => ({ ...pattern, path: `${at}/${place}` })))

/** Only in these kinds kustomize updates names of claims, accounts and priorities, not in PodTemplates and ReplicaSets. */
const controlledPods: readonly (readonly [kind: string, at: string])[] = [
  ['Pod', 'spec'],
  ...['StatefulSet', 'Deployment', 'ReplicationController', 'Job', 'DaemonSet'].map(kind => [kind, template] as const),
  ['CronJob', 'spec/jobTemplate/spec/template/spec'],
]

const inControlledPods = (place: string): FieldSpec[] =>
  controlledPods.map(([kind, at]) => ({ kind, path: `${at}/${place}` }))

const containersOf = (place: string): string[] => [`containers/${place}`, `initContainers/${place}`]

const rbac = 'rbac.authorization.k8s.io'
const admission = 'admissionregistration.k8s.io'

const annotationsOf = (...names: string[]): string[] => names.map(name => `metadata/annotations/${name}`)
const named = { Role: 'rules/resourceNames', ClusterRole: 'rules/resourceNames' }

const configMap: NameReference = {
  kind: 'ConfigMap',
  version: 'v1',
  fieldSpecs: [
    ...inPods(
      'volumes/configMap/name',
      'volumes/projected/sources/configMap/name',
      ...containersOf('env/valueFrom/configMapKeyRef/name'),
      ...containersOf('envFrom/configMapRef/name'),
    ),
    ...specs({
      Node: 'spec/configSource/configMap',
      ...named,
      Ingress: annotationsOf('nginx.ingress.kubernetes.io\\/fastcgi-params-configmap'),
    }),
  ],
}

const storageSecrets = ['secretName', 'adminSecretName', 'userSecretName', 'secretRef']

const secret: NameReference = {
  kind: 'Secret',
  version: 'v1',
  fieldSpecs: [
    ...inPods(
      'volumes/secret/secretName',
      'volumes/projected/sources/secret/name',
      'imagePullSecrets/name',
      ...containersOf('env/valueFrom/secretKeyRef/name'),
      ...containersOf('envFrom/secretRef/name'),
    ),
    ...specs({
      Ingress: [
        'spec/tls/secretName',
        ...annotationsOf('ingress.kubernetes.io\\/auth-secret', 'nginx.ingress.kubernetes.io\\/auth-secret'),
        ...annotationsOf('nginx.ingress.kubernetes.io\\/auth-tls-secret'),
      ],
      ServiceAccount: 'imagePullSecrets/name',
      StorageClass: storageSecrets.map(name => `parameters/${name}`),
      ...named,
      PersistentVolume: 'spec/azureFile/secretName',
    }),
    {
      group: 'serving.knative.dev',
      version: 'v1',
      kind: 'Service',
      path: `${template}/containers/env/valueFrom/secretKeyRef/name`,
    },
  ],
}

const backends = ['rules/http/paths/backend/serviceName', 'backend/serviceName']
const newBackends = ['rules/http/paths/backend/service/name', 'defaultBackend/service/name']
const client = 'webhooks/clientConfig/service'

const service: NameReference = {
  kind: 'Service',
  version: 'v1',
  fieldSpecs: [
    ...specs({ StatefulSet: 'spec/serviceName' }, 'apps'),
    ...specs({ Ingress: [...backends, ...newBackends].map(path => `spec/${path}`) }),
    ...specs({ APIService: 'spec/service/name' }, 'apiregistration.k8s.io'),
    ...specs({ ValidatingWebhookConfiguration: client, MutatingWebhookConfiguration: client }, admission),
  ],
}

const roles: readonly NameReference[] = [
  { kind: 'Role', group: rbac, fieldSpecs: specs({ RoleBinding: 'roleRef/name' }, rbac) },
  {
    kind: 'ClusterRole',
    group: rbac,
    fieldSpecs: specs({ RoleBinding: 'roleRef/name', ClusterRoleBinding: 'roleRef/name' }, rbac),
  },
  {
    kind: 'ServiceAccount',
    version: 'v1',
    fieldSpecs: [
      ...specs({ RoleBinding: 'subjects', ClusterRoleBinding: 'subjects' }, rbac),
      ...inControlledPods('serviceAccountName'),
    ],
  },
]

const storage: readonly NameReference[] = [
  {
    kind: 'PersistentVolumeClaim',
    version: 'v1',
    fieldSpecs: inControlledPods('volumes/persistentVolumeClaim/claimName'),
  },
  {
    kind: 'PersistentVolume',
    version: 'v1',
    fieldSpecs: specs({ PersistentVolumeClaim: 'spec/volumeName', ClusterRole: 'rules/resourceNames' }),
  },
  {
    kind: 'StorageClass',
    version: 'v1',
    group: 'storage.k8s.io',
    fieldSpecs: specs({
      PersistentVolume: 'spec/storageClassName',
      PersistentVolumeClaim: 'spec/storageClassName',
      StatefulSet: 'spec/volumeClaimTemplates/spec/storageClassName',
    }),
  },
]

/** The defaults of kustomize. kustomize does not update names of IngressClasses. */
export const nameReferences: readonly NameReference[] = [
  ...['Deployment', 'ReplicationController', 'ReplicaSet', 'StatefulSet'].map(kind => ({
    kind,
    fieldSpecs: specs({ HorizontalPodAutoscaler: 'spec/scaleTargetRef/name' }),
  })),
  configMap,
  secret,
  service,
  ...roles,
  ...storage,
  {
    kind: 'PriorityClass',
    version: 'v1',
    group: 'scheduling.k8s.io',
    fieldSpecs: inControlledPods('priorityClassName'),
  },
  {
    kind: 'ValidatingAdmissionPolicy',
    group: admission,
    fieldSpecs: specs({ ValidatingAdmissionPolicyBinding: 'spec/policyName' }, admission),
  },
]
