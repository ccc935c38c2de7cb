// Converts access rules to RBAC objects: rules without namespaces become one ClusterRole, other rules one Role per namespace.
import type { AccessRule } from '../../api/serverless.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { clusterName, partLabels } from '../manifests/conventions.ts'

/** A service account. `service`: the operator's name, the prefix of role names. */
type RoleSubject = { name: string; namespace: string; service: string }

export const access = (name: string, rules: readonly AccessRule[], subject: RoleSubject): KubeObject[] => [
  ...roles(clusterName(subject.service, name), rules),
  ...bindings({ role: name, rules, subject }),
]

const roles = (name: string, rules: readonly AccessRule[]): KubeObject[] =>
  scopesOf(rules).map(({ namespace, rules }) => ({
    apiVersion,
    kind: roleKind(namespace),
    metadata: { name, ...within(namespace), labels: partLabels },
    rules: rules.map(policyRule),
  }))

/** Binds the roles of these rules to the subject. Default name: the name of the role. */
export const bindings = ({ role, rules, subject, name = role }: Binding): KubeObject[] =>
  scopesOf(rules).map(({ namespace }) => ({
    apiVersion,
    kind: `${roleKind(namespace)}Binding`,
    metadata: { name: clusterName(subject.service, name), ...within(namespace), labels: partLabels },
    roleRef: {
      apiGroup: 'rbac.authorization.k8s.io',
      kind: roleKind(namespace),
      name: clusterName(subject.service, role),
    },
    subjects: [{ kind: 'ServiceAccount', name: subject.name, namespace: subject.namespace }],
  }))

type Binding = { role: string; rules: readonly AccessRule[]; subject: RoleSubject; name?: string }

const apiVersion = 'rbac.authorization.k8s.io/v1'

export const namespacesOf = (rules: readonly AccessRule[]): string[] =>
  [...new Set(rules.flatMap(rule => rule.namespaces ?? []))].sort()

type Scope = { namespace: string | undefined; rules: AccessRule[] }

const scopesOf = (rules: readonly AccessRule[]): Scope[] =>
  [undefined, ...namespacesOf(rules)]
    .map(namespace => ({ namespace, rules: rules.filter(rule => isFor(rule, namespace)) }))
    .filter(scope => scope.rules.length > 0)

const isFor = (rule: AccessRule, namespace: string | undefined): boolean =>
  namespace === undefined ? rule.namespaces === undefined : (rule.namespaces?.includes(namespace) ?? false)

const roleKind = (namespace: string | undefined): string => (namespace === undefined ? 'ClusterRole' : 'Role')

const within = (namespace: string | undefined) => (namespace === undefined ? {} : { namespace })

const policyRule = ({ apiGroups, resources, verbs, resourceNames }: AccessRule) => ({
  apiGroups,
  resources,
  ...(resourceNames ? { resourceNames } : {}),
  verbs,
})
