// Reads installed objects that the engine does not read: objects missing in the inventory, and webhooks (they influence the manifests).
import { istioNames } from '../../../../shared/api/istio/names.ts'
import type { Item } from '../../../../shared/component/item.ts'
import type { GroupVersionKind, KubeObject } from '../../../../shared/core/objects/object.ts'
import type { ListQuery, Reads } from '../../../../shared/kube/client-types.ts'
import { listIfServed } from '../../../../shared/kube/reading.ts'
import { componentLabel } from '../../desired/installation/chart-object.ts'
import { meshNamespaceRef } from '../../desired/installation/manifests.ts'
import { webhookKinds } from '../../desired/installation/webhooks.ts'
import { isInherited, isInstalledByUs, isSearchDue } from '../../rules/installation/found-objects.ts'

const { mesh } = istioNames.namespaces

const kinds = (apiVersion: string, ...names: readonly string[]): GroupVersionKind[] =>
  names.map(kind => ({ apiVersion, kind }))

/** Kinds to search only in istio-system, because gateways in other namespaces belong to users. */
const namespaced = [
  ...kinds('v1', 'ServiceAccount', 'Service', 'ConfigMap', 'ResourceQuota'),
  ...kinds('apps/v1', 'Deployment', 'DaemonSet'),
  ...kinds('autoscaling/v2', 'HorizontalPodAutoscaler'),
  ...kinds('policy/v1', 'PodDisruptionBudget'),
  ...kinds('rbac.authorization.k8s.io/v1', 'Role', 'RoleBinding'),
  ...kinds('networking.k8s.io/v1', 'NetworkPolicy'),
].map(kind => ({ ...kind, namespace: mesh }))

const ofCluster = [
  ...kinds('rbac.authorization.k8s.io/v1', 'ClusterRole', 'ClusterRoleBinding'),
  ...kinds('apiextensions.k8s.io/v1', 'CustomResourceDefinition'),
]

/** Always reads webhook configurations. Reads other kinds only if the inventory may be incomplete. */
export const foundObjects = async (reads: Reads, items: readonly Item[]): Promise<KubeObject[]> => {
  if (!isSearchDue(items)) return searched(reads, webhookKinds)
  const namespace = await reads.get(meshNamespaceRef)
  if (!namespace) return searched(reads, [...webhookKinds, ...ofCluster])
  return [namespace, ...(await objectsToRemove(reads))]
}

/** All objects of the installation that Espalier created or took over, even if the inventory lacks them. */
export const objectsToRemove = (reads: Reads): Promise<KubeObject[]> =>
  searched(reads, [...webhookKinds, ...namespaced, ...ofCluster])

const searched = async (reads: Reads, kinds: readonly ListQuery[]): Promise<KubeObject[]> => {
  const lists = await Promise.all(kinds.map(kind => listIfServed(reads, { ...kind, labelSelector: componentLabel })))
  return lists.flatMap(list => list ?? []).filter(object => isInstalledByUs(object) || isInherited(object))
}
