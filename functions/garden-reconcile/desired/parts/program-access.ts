// Who a program of a Garden is in the cluster it works in, and what it may do there.
//
//   [programAccount('etcd-druid'), ...programClusterAccess('etcd-druid', [allow('', 'pods', verbs.read)])]
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { namespace as garden, ownershipLabel, withOwnership } from './names.ts'
import {
  gardenClusterRole,
  gardenClusterRoleBinding,
  namespacedRole,
  type RoleRule,
  roleBinding,
  serviceAccountSubject,
} from './rbac.ts'

/** Its token is not mounted by itself: the resource manager mounts one that ends. */
export const programAccount = (name: string, namespace: string = garden): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace, labels: ownershipLabel },
  automountServiceAccountToken: false,
})

type Access = { readonly namespace?: string; readonly account?: string }

/** ClusterRole and ClusterRoleBinding of this name for the ServiceAccount of the same, or of another name. */
export const programClusterAccess = (name: string, rules: readonly RoleRule[], access: Access = {}): KubeObject[] => [
  gardenClusterRole(name, rules, ownershipLabel),
  withOwnership(gardenClusterRoleBinding(name, [subject(name, access)])),
]

/** Role and RoleBinding in the namespace of the ServiceAccount. */
export const namespaceAccess = (name: string, rules: readonly RoleRule[], access: Access = {}): KubeObject[] => {
  const place = { name, namespace: access.namespace ?? garden }
  return [namespacedRole(place, rules), roleBinding(place, [subject(name, access)])].map(withOwnership)
}

const subject = (name: string, { namespace = garden, account = name }: Access) =>
  serviceAccountSubject(account, namespace)
