// What garden-reconcile reads in the runtime cluster: each row is one list, or one object. The objects of rows of the same kind are put
// together. A kind that steps make and that has no row here is applied in every call, since its live objects are not known.
import { etcdKind, managedResourceKind } from '../../../shared/api/garden/kinds.ts'
import { istioKind } from '../../../shared/api/istio.ts'
import type { GroupVersionKind } from '../../../shared/core/objects/object.ts'

/**
 * Which objects of the kind are listed. `ours`: those with the ownership label, in all namespaces. `garden`: all of namespace garden.
 * `elsewhere`: those with the ownership label in all other namespaces; beside a row `garden` no object is read twice. `names`: metadata
 * of all. ConfigMaps are not read elsewhere: those of ours there belong to ManagedResources, which create and delete them.
 * `after`: this kind is read before.
 */
export type KindRow = GroupVersionKind & {
  readonly after?: GroupVersionKind
} & ({ readonly read: 'ours' | 'garden' | 'elsewhere' | 'names' } | ForeignObject)

type ForeignObject = { readonly read: 'one'; readonly namespace: string; readonly name: string }

const ours = (apiVersion: string, ...kinds: readonly string[]): readonly KindRow[] =>
  kinds.map(kind => ({ apiVersion, kind, read: 'ours' }))

export const deploymentKind = { apiVersion: 'apps/v1', kind: 'Deployment' } as const

export const kindRows: readonly KindRow[] = [
  { apiVersion: 'v1', kind: 'Secret', read: 'garden' },
  { apiVersion: 'v1', kind: 'Secret', read: 'elsewhere' },
  { apiVersion: 'v1', kind: 'ConfigMap', read: 'garden' },
  ...ours('v1', 'Namespace', 'Service', 'ServiceAccount'),
  // A ManagedResource that is applied was applied before its Deployments are read, so these have its content.
  { ...deploymentKind, read: 'ours', after: managedResourceKind },
  ...ours('apps/v1', 'StatefulSet'),
  { ...deploymentKind, read: 'one', namespace: 'istio-system', name: 'istiod' },
  { ...istioKind, read: 'names' },
  ...ours('apiextensions.k8s.io/v1', 'CustomResourceDefinition'),
  ...ours('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'),
  ...ours('rbac.authorization.k8s.io/v1', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'),
  ...ours('policy/v1', 'PodDisruptionBudget'),
  ...ours('autoscaling/v2', 'HorizontalPodAutoscaler'),
  ...ours('autoscaling.k8s.io/v1', 'VerticalPodAutoscaler'),
  ...ours('scheduling.k8s.io/v1', 'PriorityClass'),
  ...ours('networking.k8s.io/v1', 'Ingress', 'IngressClass', 'NetworkPolicy'),
  ...ours('networking.istio.io/v1beta1', 'Gateway', 'VirtualService', 'DestinationRule'),
  { ...managedResourceKind, read: 'ours' },
  { ...etcdKind, read: 'ours' },
]
