// The lists of built-in kinds that merge by a key. The table equals kustomize's table for the API of Kubernetes 1.21. kustomize replaces
// lists in newer versions of a kind, such as autoscaling/v2. The table only contains paths to lists that merge.
import { valueAt } from '../../../core/json/fields.ts'

export const tableVersion = 'v1.21.2'

/** `keys` marks a list that merges by these keys of its elements; without keys, elements merge by value. */
type FieldShape = { readonly to?: string; readonly keys?: readonly string[] }

export type TypeShape = Readonly<Record<string, FieldShape>>

const conditions: FieldShape = { keys: ['type'] }
const status = { to: 'StatusWithConditions' }
const metadata = { to: 'ObjectMeta' }
const template = { to: 'PodTemplateSpec' }

const container: TypeShape = {
  env: { keys: ['name'] },
  volumeDevices: { keys: ['devicePath'] },
  volumeMounts: { keys: ['mountPath'] },
}

export const typeShapes: Readonly<Record<string, TypeShape>> = {
  Plain: { metadata },
  ObjectMeta: { finalizers: { keys: [] }, ownerReferences: { keys: ['uid'] } },
  StatusWithConditions: { conditions },
  WithConditions: { metadata, status },
  Workload: { metadata, status, spec: { to: 'WorkloadSpec' } },
  WorkloadSpec: { template },
  CronJob: { metadata, spec: { to: 'CronJobSpec' } },
  CronJobSpec: { jobTemplate: { to: 'JobTemplateSpec' } },
  JobTemplateSpec: { metadata, spec: { to: 'WorkloadSpec' } },
  PodTemplate: { metadata, template },
  PodTemplateSpec: { metadata, spec: { to: 'PodSpec' } },
  Pod: { metadata, spec: { to: 'PodSpec' }, status: { to: 'PodStatus' } },
  PodStatus: { conditions, podIPs: { keys: ['ip'] } },
  PodSpec: {
    containers: { keys: ['name'], to: 'Container' },
    initContainers: { keys: ['name'], to: 'Container' },
    ephemeralContainers: { keys: ['name'], to: 'EphemeralContainer' },
    hostAliases: { keys: ['ip'] },
    imagePullSecrets: { keys: ['name'] },
    topologySpreadConstraints: { keys: ['topologyKey', 'whenUnsatisfiable'] },
    volumes: { keys: ['name'], to: 'Volume' },
  },
  Container: { ...container, ports: { keys: ['containerPort', 'protocol'] } },
  EphemeralContainer: container,
  Volume: { ephemeral: { to: 'EphemeralVolumeSource' } },
  EphemeralVolumeSource: { volumeClaimTemplate: { to: 'Plain' } },
  PersistentVolumeClaim: { metadata, status },
  Service: { metadata, status, spec: { to: 'ServiceSpec' } },
  ServiceSpec: { ports: { keys: ['port', 'protocol'] } },
  ServiceAccount: { metadata, secrets: { keys: ['name'] } },
  ComponentStatus: { metadata, conditions },
  Node: { metadata, spec: { to: 'NodeSpec' }, status: { to: 'NodeStatus' } },
  NodeSpec: { podCIDRs: { keys: [] } },
  NodeStatus: { conditions, addresses: { keys: ['type'] } },
  WebhookConfiguration: { metadata, webhooks: { keys: ['name'] } },
  CSINode: { metadata, spec: { to: 'CSINodeSpec' } },
  CSINodeSpec: { drivers: { keys: ['name'] } },
}

const kindShapes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  v1: {
    ...plain('Binding ConfigMap Endpoints Event LimitRange PersistentVolume ResourceQuota Secret'),
    ComponentStatus: 'ComponentStatus',
    Namespace: 'WithConditions',
    Node: 'Node',
    PersistentVolumeClaim: 'PersistentVolumeClaim',
    Pod: 'Pod',
    PodTemplate: 'PodTemplate',
    ReplicationController: 'Workload',
    Service: 'Service',
    ServiceAccount: 'ServiceAccount',
  },
  'apps/v1': {
    ...plain('ControllerRevision'),
    DaemonSet: 'Workload',
    Deployment: 'Workload',
    ReplicaSet: 'Workload',
    StatefulSet: 'Workload',
  },
  'batch/v1': { CronJob: 'CronJob', Job: 'Workload' },
  'batch/v1beta1': { CronJob: 'CronJob' },
  ...versions('admissionregistration.k8s.io', {
    MutatingWebhookConfiguration: 'WebhookConfiguration',
    ValidatingWebhookConfiguration: 'WebhookConfiguration',
  }),
  ...versions('apiextensions.k8s.io', plain('CustomResourceDefinition')),
  ...versions('apiregistration.k8s.io', { APIService: 'WithConditions' }),
  ...versions('authentication.k8s.io', plain('TokenReview')),
  ...versions('authorization.k8s.io', plain('SubjectAccessReview')),
  'autoscaling/v1': plain('HorizontalPodAutoscaler'),
  'autoscaling/v2beta1': plain('HorizontalPodAutoscaler'),
  'autoscaling/v2beta2': plain('HorizontalPodAutoscaler'),
  ...versions('certificates.k8s.io', plain('CertificateSigningRequest')),
  ...versions('coordination.k8s.io', plain('Lease')),
  ...versions('discovery.k8s.io', plain('EndpointSlice')),
  ...versions('events.k8s.io', plain('Event')),
  'extensions/v1beta1': plain('Ingress'),
  'flowcontrol.apiserver.k8s.io/v1beta1': plain('FlowSchema PriorityLevelConfiguration'),
  'networking.k8s.io/v1': plain('Ingress IngressClass NetworkPolicy'),
  'networking.k8s.io/v1beta1': plain('Ingress IngressClass'),
  ...versions('node.k8s.io', plain('RuntimeClass')),
  'policy/v1': { PodDisruptionBudget: 'WithConditions' },
  'policy/v1beta1': { ...plain('PodSecurityPolicy'), PodDisruptionBudget: 'WithConditions' },
  ...versions('rbac.authorization.k8s.io', plain('ClusterRole ClusterRoleBinding Role RoleBinding')),
  ...versions('scheduling.k8s.io', plain('PriorityClass')),
  ...versions('storage.k8s.io', {
    ...plain('CSIDriver CSIStorageCapacity StorageClass VolumeAttachment'),
    CSINode: 'CSINode',
  }),
}

function plain(kinds: string): Record<string, string> {
  return Object.fromEntries(kinds.split(' ').map(kind => [kind, 'Plain']))
}

function versions(group: string, kinds: Record<string, string>): Record<string, Record<string, string>> {
  return { [`${group}/v1`]: kinds, [`${group}/v1beta1`]: kinds }
}

const clusterScoped: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...versions('admissionregistration.k8s.io', plain('MutatingWebhookConfiguration ValidatingWebhookConfiguration')),
  ...versions('apiextensions.k8s.io', plain('CustomResourceDefinition')),
  ...versions('apiregistration.k8s.io', plain('APIService')),
  ...versions('certificates.k8s.io', plain('CertificateSigningRequest')),
  'flowcontrol.apiserver.k8s.io/v1beta1': plain('FlowSchema PriorityLevelConfiguration'),
  ...versions('networking.k8s.io', plain('IngressClass')),
  ...versions('node.k8s.io', plain('RuntimeClass')),
  'policy/v1beta1': plain('PodSecurityPolicy'),
  ...versions('rbac.authorization.k8s.io', plain('ClusterRole ClusterRoleBinding')),
  ...versions('scheduling.k8s.io', plain('PriorityClass')),
  ...versions('storage.k8s.io', plain('CSIDriver CSINode StorageClass VolumeAttachment')),
  v1: plain('ComponentStatus Namespace Node NodeProxyOptions PersistentVolume'),
}

/** false for API versions that are newer than the table. */
export const isBuiltInClusterScoped = (apiVersion: string, kind: string): boolean =>
  valueAt(clusterScoped, apiVersion, kind) !== undefined

export const builtInShape = (apiVersion: string, kind: string): TypeShape | undefined => {
  const type = valueAt(kindShapes, apiVersion, kind)
  return typeof type === 'string' ? typeShapes[type] : undefined
}

/** Types that are not kinds, by the end of the name of their definition. */
const definedTypes: Readonly<Record<string, string>> = {
  'apps.v1.DaemonSetSpec': 'WorkloadSpec',
  'apps.v1.DeploymentSpec': 'WorkloadSpec',
  'apps.v1.ReplicaSetSpec': 'WorkloadSpec',
  'apps.v1.StatefulSetSpec': 'WorkloadSpec',
  'batch.v1.CronJobSpec': 'CronJobSpec',
  'batch.v1.JobSpec': 'WorkloadSpec',
  'batch.v1.JobTemplateSpec': 'JobTemplateSpec',
  'core.v1.Container': 'Container',
  'core.v1.EphemeralContainer': 'EphemeralContainer',
  'core.v1.EphemeralVolumeSource': 'EphemeralVolumeSource',
  'core.v1.NodeSpec': 'NodeSpec',
  'core.v1.NodeStatus': 'NodeStatus',
  'core.v1.PodSpec': 'PodSpec',
  'core.v1.PodStatus': 'PodStatus',
  'core.v1.PodTemplateSpec': 'PodTemplateSpec',
  'core.v1.ReplicationControllerSpec': 'WorkloadSpec',
  'core.v1.ServiceSpec': 'ServiceSpec',
  'core.v1.Volume': 'Volume',
  'meta.v1.ObjectMeta': 'ObjectMeta',
}

/** The shape of a definition such as `io.k8s.api.core.v1.PodSpec`; undefined if no list in it merges. */
export const definedShape = (definition: string): TypeShape | undefined => {
  const [, group = '', version = '', type = ''] = /^io\.k8s\..*?([a-z]+)\.(v\w+)\.(\w+)$/.exec(definition) ?? []
  const name = `${group}.${version}.${type}`
  if (Object.hasOwn(definedTypes, name)) return typeShapes[definedTypes[name] ?? '']
  return builtInShape(group === 'core' ? version : `${group}/${version}`, type)
}
