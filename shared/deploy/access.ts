// Service accounts with the access rules of serverless.yml as RBAC: one per function, one for the relay, and one for a host of all
// functions. Rules without namespaces become one ClusterRole, other rules one Role per namespace.
import { type AccessRule, includesOrAll, type Landscape, type WatchEventSettings } from '../api/serverless.ts'
import { groupResourceOf, type KubeObject } from '../core/objects/object.ts'
import { inventoriesOf, watchesOf } from './landscape/events.ts'
import { clusterName, type Labels, partLabels } from './manifests/conventions.ts'

/** The objects of `accounts`, without objects in namespaces of other programs. */
export const ownAccess = (landscape: Landscape): Record<string, KubeObject[]> =>
  Object.fromEntries(
    Object.entries(accounts(landscape)).map(([name, objects]) => [name, objects.filter(isForOwn(landscape))]),
  )

/** Roles and bindings in namespaces of other programs, by namespace. Each can be applied when its namespace exists. */
export const foreignAccess = (landscape: Landscape): Record<string, KubeObject[]> => {
  const isOwn = isForOwn(landscape)
  const objects = [...Object.values(accounts(landscape)).flat(), ...hostAccount(landscape)]
  const foreign = objects.filter(object => !isOwn(object))
  return Object.fromEntries(Map.groupBy(foreign, ({ metadata }) => metadata.namespace ?? ''))
}

/** Account, roles and bindings, by function and for the relay. */
export const accounts = (landscape: Landscape): Record<string, KubeObject[]> => {
  const {
    service,
    provider: { namespace },
  } = landscape
  const rules = {
    ...Object.fromEntries(Object.entries(landscape.functions).map(([name, settings]) => [name, settings.access])),
    relay: relayAccess(landscape),
  }
  return Object.fromEntries(
    Object.entries(rules).map(([name, own]) => [
      name,
      [serviceAccount(name, namespace), ...access(name, own, { name, namespace, service })],
    ]),
  )
}

/** Whether an object is cluster-scoped, in our namespace, or in a namespace of every cluster. */
export const isForOwn =
  ({ provider }: Landscape) =>
  ({ metadata: { namespace } }: KubeObject): boolean =>
    namespace === undefined || namespace === provider.namespace || everywhere.includes(namespace)

export const everywhere = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

/** Binds the host of all functions to the roles of each function, so that access is defined once. */
export const hostAccount = (landscape: Landscape): KubeObject[] => {
  const subject = { name: 'host', namespace: landscape.provider.namespace, service: landscape.service }
  return [
    serviceAccount(subject.name, subject.namespace),
    ...Object.entries(landscape.functions).flatMap(([role, { access: rules }]) =>
      bindings({ role, rules, subject, name: `host-${role}` }),
    ),
  ]
}

/** By function: roles that an operator can add. The roles are for the function, for the host of all functions, and for the relay. */
export const grantedAccess = ({
  service,
  provider: { namespace },
  functions,
}: Landscape): Record<string, KubeObject[]> =>
  Object.fromEntries(
    Object.entries(functions).flatMap(([name, { grants }]) =>
      grants ? [[name, granted(name, grants, { namespace, service })]] : [],
    ),
  )

type Place = { readonly namespace: string; readonly service: string }

const granted = (name: string, rules: readonly AccessRule[], place: Place): KubeObject[] => {
  const role = `granted-${name}`
  return [
    ...access(role, rules, { name, ...place }),
    ...bindings({ role, rules, subject: { name: 'host', ...place }, name: `host-granted-${name}` }),
    ...access(`relay-granted-${name}`, watching(rules), { name: 'relay', ...place }),
  ]
}

/** The token is mounted, because all programs call the API server. */
const serviceAccount = (name: string, namespace: string, labels: Labels = partLabels): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace, labels },
  automountServiceAccountToken: true,
})

/** If the relay may not watch a kind of an inventory, it polls the owners. */
export const relayAccess = (landscape: Landscape): AccessRule[] => [
  ...merged([...watchRules(landscape), ...inventoryRules(landscape)]),
  ...remoteRules(landscape),
  ...kubeConfigRules(landscape),
  leaseRule(landscape.provider.namespace),
]

const watchRules = (landscape: Landscape): AccessRule[] =>
  watchesOf(landscape)
    .filter(({ event }) => event.cluster === undefined)
    .map(({ event }) => watchRule(event))

const watchRule = (event: WatchEventSettings): AccessRule => {
  const { group, resource } = groupResourceOf(event)
  const name = nameIn(event)
  return {
    apiGroups: [group],
    resources: [resource],
    ...(name ? { resourceNames: [name] } : {}),
    verbs: ['list', 'watch'],
    ...(event.namespace ? { namespaces: [event.namespace] } : {}),
  }
}

/** Kinds in inventories are known only at run time, so the relay may watch all kinds that the function may list. */
const inventoryRules = (landscape: Landscape): AccessRule[] =>
  inventoriesOf(landscape)
    .filter(({ event }) => event.cluster === undefined)
    .flatMap(({ settings }) => watching(settings.access))

/** Watch rules for the kinds that these rules allow a function to list. */
const watching = (rules: readonly AccessRule[]): AccessRule[] =>
  rules
    .filter(mayList)
    .map(({ resources, ...rule }) => ({ ...rule, resources: resources.filter(isListed), verbs: ['list', 'watch'] }))

/** Subresources, such as `gardens/status`, are not listed. */
const isListed = (resource: string): boolean => !resource.includes('/')

const mayList = ({ verbs }: AccessRule): boolean => includesOrAll(verbs, 'list')

/** The name in the field selector metadata.name. RBAC then only needs access to this name. */
const nameIn = ({ fieldSelector }: WatchEventSettings): string | undefined =>
  /^metadata\.name=(?<name>[^,=!]+)$/.exec(fieldSelector ?? '')?.groups?.name

/** Merges rules that differ only in their kinds. */
const merged = (rules: readonly AccessRule[]): AccessRule[] =>
  [...Map.groupBy(rules, ({ resources, ...rest }) => JSON.stringify(rest)).values()].flatMap(([first, ...others]) => {
    const resources = new Set([first, ...others].flatMap(rule => rule?.resources ?? []))
    return first ? [{ ...first, resources: [...resources].sort() }] : []
  })

/** Rules for access Secrets. These Secrets should have their own namespace, because RBAC cannot select by labels. */
const remoteRules = (landscape: Landscape): AccessRule[] =>
  [...new Set(Object.values(landscape.provider.remotes ?? {}).map(remote => remote.namespace))].map(namespace => ({
    apiGroups: [''],
    resources: ['secrets'],
    verbs: ['get', 'list', 'watch'],
    namespaces: [namespace],
  }))

/** Rules for kubeconfig Secrets in all namespaces, because objects refer to Secrets in their own namespaces. */
const kubeConfigRules = (landscape: Landscape): AccessRule[] =>
  inventoriesOf(landscape).some(({ event }) => event.kubeConfigPath !== undefined)
    ? [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] }]
    : []

/** The rule for one Lease per relay and one Lease per shard (shared/relay/shards/leases.ts). */
const leaseRule = (namespace: string): AccessRule => ({
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  verbs: ['list', 'create', 'patch', 'delete'],
  namespaces: [namespace],
})

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
const bindings = ({ role, rules, subject, name = role }: Binding): KubeObject[] =>
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
