// Objects that were read from one cluster, found by kind and name; and which objects are read in the runtime cluster.
//
//   findObject(world.runtime, { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'garden', name: 'etcd-druid' })
//   objectsOf(world.runtime, { apiVersion: 'v1', kind: 'Secret' })
import { etcdKind, managedResourceKind } from '../../../shared/api/garden/kinds.ts'
import { istioKind } from '../../../shared/api/istio.ts'
import { type GroupVersionKind, type KubeObject, type ObjectRef, refOf } from '../../../shared/core/objects/object.ts'

/** Objects by `kindText`. A kind that the API server does not serve is absent. */
export type Objects = ReadonlyMap<string, readonly KubeObject[]>

/** For example, `apps/v1 Deployment`. */
export const kindText = ({ apiVersion, kind }: GroupVersionKind): string => `${apiVersion} ${kind}`

export const objectsOf = (objects: Objects, kind: GroupVersionKind): readonly KubeObject[] =>
  objects.get(kindText(kind)) ?? []

export const servesKind = (objects: Objects, kind: GroupVersionKind): boolean => objects.has(kindText(kind))

/** A ref with namespace '' names a cluster-scoped object. */
export const findObject = (objects: Objects, ref: ObjectRef): KubeObject | undefined =>
  objectsOf(objects, ref).find(object => isAt(object, ref))

const isAt = (object: KubeObject, ref: ObjectRef): boolean => {
  const { namespace, name } = refOf(object)
  return name === ref.name && namespace === ref.namespace
}

/**
 * `ours`: objects with the ownership label in all namespaces. `garden`: all objects in namespace garden. `elsewhere`: objects with the
 * label in all other namespaces, to complement a row `garden`. `names`: metadata of all objects. Our ConfigMaps in other namespaces are not
 * read, because ManagedResources create and delete them. `after`: the kind that is read before.
 */
export type KindRow = GroupVersionKind & {
  readonly after?: GroupVersionKind
} & ({ readonly read: 'ours' | 'garden' | 'elsewhere' | 'names' } | ForeignObject)

type ForeignObject = { readonly read: 'one'; readonly namespace: string; readonly name: string }

const ours = (apiVersion: string, ...kinds: readonly string[]): readonly KindRow[] =>
  kinds.map(kind => ({ apiVersion, kind, read: 'ours' }))

export const deploymentKind = { apiVersion: 'apps/v1', kind: 'Deployment' } as const

/**
 * Each row is one list or one object. Rows of the same kind are joined. If a kind has no row, its live objects are unknown, so a step applies its
 * objects of this kind in every call.
 */
export const kindRows: readonly KindRow[] = [
  { apiVersion: 'v1', kind: 'Secret', read: 'garden' },
  { apiVersion: 'v1', kind: 'Secret', read: 'elsewhere' },
  { apiVersion: 'v1', kind: 'ConfigMap', read: 'garden' },
  ...ours('v1', 'Namespace', 'Service', 'ServiceAccount'),
  // Deployments are read after ManagedResources, so the Deployments of an applied ManagedResource already have its content.
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
