// The write order within one wave. Example: ConfigMaps are created before Deployments and deleted after Deployments.
import { apiVersionOf, groupOf } from '../../core/objects/object.ts'
import type { Item } from '../inventory/item.ts'
import type { EngineSettings, Priorities } from '../settings.ts'

const webhooks = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].map(
  kind => `${kind}.admissionregistration.k8s.io`,
)
const crd = 'CustomResourceDefinition.apiextensions.k8s.io'
const apiService = 'APIService.apiregistration.k8s.io'
const classes = [
  'IngressClass.networking.k8s.io',
  'RuntimeClass.node.k8s.io',
  'PriorityClass.scheduling.k8s.io',
  'StorageClass.storage.k8s.io',
]
const rbac = (...kinds: string[]) => kinds.map(kind => `${kind}.rbac.authorization.k8s.io`)

const table = (rows: readonly (readonly [number, readonly string[]])[]): Priorities =>
  Object.fromEntries(rows.flatMap(([priority, kinds]) => kinds.map(kind => [kind, priority])))

export const applyPriorities = table([
  [-4, ['Namespace']],
  [-3, webhooks],
  [-2, [crd, ...classes, ...rbac('ClusterRole', 'Role')]],
  [-1, ['ConfigMap', 'Secret', ...rbac('ClusterRoleBinding', 'RoleBinding')]],
  [1, [apiService]],
])

export const deletePriorities = table([
  [-1, [crd, apiService]],
  [1, webhooks],
  [2, ['Service', 'ConfigMap', 'Secret']],
  [3, ['Namespace']],
  [4, classes],
])

/** The lowest priority is first. Default: 0. */
export const priorityOf = (
  priorities: Priorities,
  { apiVersion, kind }: { apiVersion: string; kind: string },
): number => {
  const group = groupOf(apiVersion)
  return priorities[group ? `${kind}.${group}` : kind] ?? 0
}

export const deletePriorityOf = (item: Item, { deletePriorities }: EngineSettings): number =>
  priorityOf(deletePriorities, { apiVersion: apiVersionOf(item), kind: item.kind })
