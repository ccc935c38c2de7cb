// Where the objects of a case lie: short names for kinds, and the whole paths they stand for.

type Place = { readonly apiVersion: string; readonly kind: string; readonly isClusterWide?: boolean }

const clusterWide = true
const rbac = 'rbac.authorization.k8s.io/v1'
const admission = 'admissionregistration.k8s.io/v1'

const places: Readonly<Record<string, Place>> = {
  configmaps: { apiVersion: 'v1', kind: 'ConfigMap' },
  secrets: { apiVersion: 'v1', kind: 'Secret' },
  services: { apiVersion: 'v1', kind: 'Service' },
  pods: { apiVersion: 'v1', kind: 'Pod' },
  serviceaccounts: { apiVersion: 'v1', kind: 'ServiceAccount' },
  events: { apiVersion: 'v1', kind: 'Event' },
  namespaces: { apiVersion: 'v1', kind: 'Namespace', isClusterWide: clusterWide },
  deployments: { apiVersion: 'apps/v1', kind: 'Deployment' },
  replicasets: { apiVersion: 'apps/v1', kind: 'ReplicaSet' },
  statefulsets: { apiVersion: 'apps/v1', kind: 'StatefulSet' },
  jobs: { apiVersion: 'batch/v1', kind: 'Job' },
  leases: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
  roles: { apiVersion: rbac, kind: 'Role' },
  rolebindings: { apiVersion: rbac, kind: 'RoleBinding' },
  clusterroles: { apiVersion: rbac, kind: 'ClusterRole', isClusterWide: clusterWide },
  clusterrolebindings: { apiVersion: rbac, kind: 'ClusterRoleBinding', isClusterWide: clusterWide },
  tokenreviews: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', isClusterWide: clusterWide },
  validatingwebhookconfigurations: {
    apiVersion: admission,
    kind: 'ValidatingWebhookConfiguration',
    isClusterWide: clusterWide,
  },
  mutatingwebhookconfigurations: {
    apiVersion: admission,
    kind: 'MutatingWebhookConfiguration',
    isClusterWide: clusterWide,
  },
  validatingadmissionpolicies: {
    apiVersion: admission,
    kind: 'ValidatingAdmissionPolicy',
    isClusterWide: clusterWide,
  },
  validatingadmissionpolicybindings: {
    apiVersion: admission,
    kind: 'ValidatingAdmissionPolicyBinding',
    isClusterWide: clusterWide,
  },
  mutatingadmissionpolicies: { apiVersion: admission, kind: 'MutatingAdmissionPolicy', isClusterWide: clusterWide },
  mutatingadmissionpolicybindings: {
    apiVersion: admission,
    kind: 'MutatingAdmissionPolicyBinding',
    isClusterWide: clusterWide,
  },
  customresourcedefinitions: {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    isClusterWide: clusterWide,
  },
  endpoints: { apiVersion: 'v1', kind: 'Endpoints' },
  persistentvolumeclaims: { apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
  persistentvolumes: { apiVersion: 'v1', kind: 'PersistentVolume', isClusterWide: clusterWide },
  limitranges: { apiVersion: 'v1', kind: 'LimitRange' },
  resourcequotas: { apiVersion: 'v1', kind: 'ResourceQuota' },
  podtemplates: { apiVersion: 'v1', kind: 'PodTemplate' },
  replicationcontrollers: { apiVersion: 'v1', kind: 'ReplicationController' },
  daemonsets: { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  cronjobs: { apiVersion: 'batch/v1', kind: 'CronJob' },
  ingresses: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' },
  ingressclasses: { apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass', isClusterWide: clusterWide },
  networkpolicies: { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
  poddisruptionbudgets: { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
  horizontalpodautoscalers: { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' },
  endpointslices: { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' },
  priorityclasses: { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', isClusterWide: clusterWide },
  storageclasses: { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', isClusterWide: clusterWide },
  runtimeclasses: { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', isClusterWide: clusterWide },
  apiservices: { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', isClusterWide: clusterWide },
  nodes: { apiVersion: 'v1', kind: 'Node', isClusterWide: clusterWide },
  things: { apiVersion: '$ns.example.com/v1', kind: 'Thing' },
  'v2/things': { apiVersion: '$ns.example.com/v2', kind: 'Thing' },
  'cluster/things': { apiVersion: '$ns.example.com/v1', kind: 'Thing', isClusterWide: clusterWide },
}

export type Target = { readonly path: string; readonly apiVersion?: string; readonly kind?: string }

/** `configmaps/a?x=y` as a path of the API in this case's namespace; a path that begins with a slash stands for itself. */
export const targetOf = (short: string): Target => {
  if (short.startsWith('/')) return { path: short }
  const key = Object.keys(places).find(
    name => short === name || (/^[/?]/.test(short.slice(name.length)) && short.startsWith(name)),
  )
  const place = key === undefined ? undefined : places[key]
  if (key === undefined || !place) throw new Error(`no kind is known as ${short}`)
  const { apiVersion, kind, isClusterWide } = place
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const plural = key.split('/').at(-1)
  const space = isClusterWide ? '' : '/namespaces/$ns'
  return { path: `${root}${space}/${plural}${short.slice(key.length)}`, apiVersion, kind }
}
