// Short builders for roles and their bindings, and for the account of a Garden's program with its rights in its cluster.
//
//   gardenClusterRole('gardener.cloud:system:scheduler', [allow('core.gardener.cloud', 'seeds shoots', verbs.read)])
//   gardenClusterRoleBinding('gardener.cloud:system:scheduler', [serviceAccountSubject('gardener-scheduler', 'kube-system')])
//   [programAccount('etcd-druid'), ...programClusterAccess('etcd-druid', [allow('', 'pods', verbs.read)])]
import type { Key, KubeObject } from '../../../../shared/core/objects/object.ts'
import { namespace as garden, ownershipLabel, withOwnership } from './names.ts'

type Texts = Readonly<Record<string, string>>

export type RoleRule = {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
  readonly resourceNames?: readonly string[]
}

const rbac = 'rbac.authorization.k8s.io'

export const verbs = {
  read: 'get list watch',
  write: 'create delete deletecollection get list watch patch update',
} as const

/** Each argument is a list separated by blanks. The group '' is the core group of Kubernetes. */
export const allow = (groups: string, resources: string, allowed: string): RoleRule => ({
  apiGroups: groups.split(' '),
  resources: resources.split(' '),
  verbs: allowed.split(' '),
})

/** Rules for programs that elect a leader among their replicas. */
export const leadership = (lease: string): RoleRule[] => [
  allow('coordination.k8s.io', 'leases', 'create'),
  { ...allow('coordination.k8s.io', 'leases', 'get watch update'), resourceNames: [lease] },
]

export const everything = allow('*', '*', '*')

export const gardenClusterRole = (name: string, rules: readonly RoleRule[], labels?: Texts): KubeObject => ({
  apiVersion: `${rbac}/v1`,
  kind: 'ClusterRole',
  metadata: { name, ...(labels && { labels }) },
  rules,
})

/** The controller manager fills in the rules of all ClusterRoles with these labels. */
export const aggregatedClusterRole = (name: string, selectors: readonly Texts[], labels: Texts): KubeObject => ({
  apiVersion: `${rbac}/v1`,
  kind: 'ClusterRole',
  metadata: { name, labels },
  aggregationRule: { clusterRoleSelectors: selectors.map(matchLabels => ({ matchLabels })) },
})

export const groupSubject = (name: string) => ({ apiGroup: rbac, kind: 'Group', name })
export const userSubject = (name: string) => ({ apiGroup: rbac, kind: 'User', name })
export const serviceAccountSubject = (name: string, namespace: string) => ({ kind: 'ServiceAccount', name, namespace })

/** `roleName`: the name of the role, if it differs from the name of the binding. */
export const gardenClusterRoleBinding = (
  name: string,
  subjects: readonly Record<string, string>[],
  roleName = name,
): KubeObject => ({
  apiVersion: `${rbac}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name },
  roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: roleName },
  subjects,
})

export const namespacedRole = (place: Key, rules: readonly RoleRule[]): KubeObject => ({
  apiVersion: `${rbac}/v1`,
  kind: 'Role',
  metadata: { ...place },
  rules,
})

/** `roleName`: the name of the role, if it differs from the name of the binding. */
export const roleBinding = (
  place: Key,
  subjects: readonly Record<string, string>[],
  roleName = place.name,
): KubeObject => ({
  apiVersion: `${rbac}/v1`,
  kind: 'RoleBinding',
  metadata: { ...place },
  roleRef: { apiGroup: rbac, kind: 'Role', name: roleName },
  subjects,
})

/** The token of the account is not mounted automatically, because the resource manager mounts a token that expires. */
export const programAccount = (name: string, namespace: string = garden): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace, labels: ownershipLabel },
  automountServiceAccountToken: false,
})

type Access = { readonly namespace?: string; readonly account?: string }

export const programClusterAccess = (name: string, rules: readonly RoleRule[], access: Access = {}): KubeObject[] => [
  gardenClusterRole(name, rules, ownershipLabel),
  withOwnership(gardenClusterRoleBinding(name, [subject(name, access)])),
]

export const namespaceAccess = (name: string, rules: readonly RoleRule[], access: Access = {}): KubeObject[] => {
  const place = { name, namespace: access.namespace ?? garden }
  return [namespacedRole(place, rules), roleBinding(place, [subject(name, access)])].map(withOwnership)
}

const subject = (name: string, { namespace = garden, account = name }: Access) =>
  serviceAccountSubject(account, namespace)
