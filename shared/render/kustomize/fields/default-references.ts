// Fields with the name of another object. Kinds with Pods share one list of places, relative to the path of the Pod.
import type { GvkPattern } from '../objects/identity.ts'
import type { FieldSpec } from './field-spec.ts'

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
