// The settings of one pass: defaults of the kind, overridden by the component. Annotations of a manifest override some settings
// (declared/annotations.ts).
import { apiVersionOf, groupOf, type KubeObject } from '../core/objects/object.ts'
import type { AdoptionPolicy, DeletePolicy, Item, ManagedType, UpdatePolicy } from './item.ts'
import type { ObjectReadiness } from './observed/readiness.ts'

export type EngineSettings = {
  /** Prefix of our labels and annotations, such as `component.core.espalier.dev` in `component.core.espalier.dev/digest`. */
  readonly reconcilerName: string
  readonly finalizer: string
  readonly adoptionPolicy: AdoptionPolicy
  /** Recognises objects without our owner label, from a program that the component replaces. Absent: no such objects. */
  readonly inherits?: (object: KubeObject) => boolean
  readonly updatePolicy: UpdatePolicy
  readonly deletePolicy: DeletePolicy
  readonly reapplySeconds: number
  readonly createMissingNamespaces: boolean
  readonly additionalManagedTypes: readonly GroupKind[]
  /** Prefixes of field managers. The update policy `ssa-override` takes over fields of these managers. */
  readonly reclaimedManagers: readonly string[]
  readonly hasCrdFinalizers: boolean
  /** Types whose instances block the deletion. `managed`: the managed types and the additional types. A list replaces all of them. */
  readonly deletionBlockers: 'managed' | 'none' | readonly GroupKind[]
  readonly whileBlocked: 'hold' | 'repair'
  readonly skipsDeleteHooks: boolean
  readonly applyPriorities: Priorities
  readonly deletePriorities: Priorities
  /** Default: the built-in rules. */
  readonly readiness?: (object: KubeObject, builtIn: ObjectReadiness) => ObjectReadiness
}

/** Group: exact, `*` or `*.suffix`. Kind: exact or `*`. */
export type GroupKind = Pick<ManagedType, 'group' | 'kind'>

/** Priorities by `Kind.group`, such as `ConfigMap` or `Deployment.apps`. The lowest is first. Default: 0. */
export type Priorities = Readonly<Record<string, number>>

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

/** The write order within one wave. Example: ConfigMaps are created before Deployments and deleted after Deployments. */
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
