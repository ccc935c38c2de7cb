// Kinds that every API server serves under the same path. discovery.ts finds all other kinds.
import type { GroupVersionKind } from '../../core/objects/object.ts'

/** The path of a kind: `<root>/namespaces/<namespace>/<plural>/<name>`. */
export type Resource = { readonly root: string; readonly plural: string; readonly namespaced: boolean }

type Plurals = Record<string, string>

const namespaced: Record<string, Plurals> = {
  v1: {
    ConfigMap: 'configmaps',
    Endpoints: 'endpoints',
    Event: 'events',
    LimitRange: 'limitranges',
    PersistentVolumeClaim: 'persistentvolumeclaims',
    Pod: 'pods',
    ResourceQuota: 'resourcequotas',
    Secret: 'secrets',
    Service: 'services',
    ServiceAccount: 'serviceaccounts',
  },
  'apps/v1': {
    DaemonSet: 'daemonsets',
    Deployment: 'deployments',
    ReplicaSet: 'replicasets',
    StatefulSet: 'statefulsets',
  },
  'autoscaling/v2': { HorizontalPodAutoscaler: 'horizontalpodautoscalers' },
  'batch/v1': { CronJob: 'cronjobs', Job: 'jobs' },
  'coordination.k8s.io/v1': { Lease: 'leases' },
  'discovery.k8s.io/v1': { EndpointSlice: 'endpointslices' },
  'networking.k8s.io/v1': { Ingress: 'ingresses', NetworkPolicy: 'networkpolicies' },
  'policy/v1': { PodDisruptionBudget: 'poddisruptionbudgets' },
  'rbac.authorization.k8s.io/v1': { Role: 'roles', RoleBinding: 'rolebindings' },
}

const clusterWide: Record<string, Plurals> = {
  v1: { Namespace: 'namespaces', Node: 'nodes', PersistentVolume: 'persistentvolumes' },
  'admissionregistration.k8s.io/v1': {
    MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
    ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
  },
  'apiextensions.k8s.io/v1': { CustomResourceDefinition: 'customresourcedefinitions' },
  'apiregistration.k8s.io/v1': { APIService: 'apiservices' },
  'networking.k8s.io/v1': { IngressClass: 'ingressclasses' },
  'rbac.authorization.k8s.io/v1': { ClusterRole: 'clusterroles', ClusterRoleBinding: 'clusterrolebindings' },
  'scheduling.k8s.io/v1': { PriorityClass: 'priorityclasses' },
  'storage.k8s.io/v1': { StorageClass: 'storageclasses' },
}

/** `/api/v1` for the core group, `/apis/<group>/<version>` for other groups. */
export const rootOf = (apiVersion: string): string => (apiVersion.includes('/') ? `/apis/` : `/api/`) + apiVersion

const rows = (table: Record<string, Plurals>, isNamespaced: boolean): [string, Resource][] =>
  Object.entries(table).flatMap(([apiVersion, plurals]) =>
    Object.entries(plurals).map(([kind, plural]): [string, Resource] => [
      keyOf({ apiVersion, kind }),
      { root: rootOf(apiVersion), plural, namespaced: isNamespaced },
    ]),
  )

const keyOf = ({ apiVersion, kind }: GroupVersionKind): string => `${apiVersion} ${kind}`

const builtIn: ReadonlyMap<string, Resource> = new Map([...rows(namespaced, true), ...rows(clusterWide, false)])

export const builtInResource = (kind: GroupVersionKind): Resource | undefined => builtIn.get(keyOf(kind))
