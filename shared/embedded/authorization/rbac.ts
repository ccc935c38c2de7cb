// Role-based access control by the roles and bindings in the store. The index of bindings is rebuilt after every change of roles or bindings.
import type { KubeObject } from '../../core/objects/object.ts'
import type { User } from '../identity/user.ts'
import { forbidden, type StatusError } from '../status.ts'
import type { Store } from '../storage/store.ts'
import { type JsonMap, listAt, listsOrAll, mapsAt, textAt } from '../value.ts'

export type ResourceRequest = {
  readonly verb: string
  readonly kind: { group: string; version: string; plural: string; kind: string }
  readonly subresource: string
  /** The value '' means all namespaces, or a cluster-scoped kind. */
  readonly namespace: string
  readonly name: string
}

export type PathRequest = { readonly verb: string; readonly path: string }

type Verdict = { readonly isAllowed: boolean; readonly reason: string }

export type Authorization = {
  onResource(user: User, request: ResourceRequest): Verdict
  onPath(user: User, request: PathRequest): Verdict
  require(user: User, request: ResourceRequest): void
  rules(user: User, namespace: string): JsonMap[]
}

export const rbacGroup = 'rbac.authorization.k8s.io'
const collections = ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'].map(
  plural => `${rbacGroup}/${plural}`,
)

type Grant = {
  readonly binding: KubeObject
  readonly namespace: string
  readonly rules: readonly JsonMap[]
  readonly role: string
}
type Index = ReadonlyMap<string, readonly Grant[]>

const subjectKey = (subject: unknown, namespace: string): string => {
  const name = textAt(subject, 'name')
  const kind = textAt(subject, 'kind')
  if (kind === 'ServiceAccount')
    return `User/system:serviceaccount:${textAt(subject, 'namespace') || namespace}:${name}`
  return `${kind}/${name}`
}

export const allRules: readonly JsonMap[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

export const rbac = (store: Store): Authorization => {
  let index: Index | undefined
  store.onChange(({ collection }) => {
    if (collections.includes(collection)) index = undefined
  })
  const grantsFor = (user: User): Grant[] => {
    index ??= indexOf(store)
    const current = index
    return [`User/${user.name}`, ...user.groups.map(each => `Group/${each}`)].flatMap(key => current.get(key) ?? [])
  }
  const find = (user: User, namespace: string, fits: (rule: JsonMap) => boolean): Verdict => {
    if (user.groups.includes('system:masters')) return { isAllowed: true, reason: '' }
    const grant = grantsFor(user).find(
      each => (each.namespace === '' || each.namespace === namespace) && each.rules.some(fits),
    )
    return grant ? { isAllowed: true, reason: reasonOf(grant, user) } : { isAllowed: false, reason: '' }
  }
  const onResource = (user: User, request: ResourceRequest) =>
    find(user, request.namespace, rule => allowsResource(rule, request))
  return {
    onResource,
    onPath: (user, request) => find(user, '', rule => allowsPath(rule, request)),
    require: (user, request) => {
      if (!onResource(user, request).isAllowed) throw refusal(user, request)
    },
    rules: (user, namespace) =>
      user.groups.includes('system:masters')
        ? [...allRules]
        : grantsFor(user)
            .filter(grant => grant.namespace === '' || grant.namespace === namespace)
            .flatMap(grant => grant.rules),
  }
}

const indexOf = (store: Store): Index => {
  const index = new Map<string, Grant[]>()
  const bindings = ['clusterrolebindings', 'rolebindings'].flatMap(plural => store.objects(`${rbacGroup}/${plural}`))
  for (const binding of bindings) {
    const namespace = binding.metadata.namespace ?? ''
    const role = { kind: textAt(binding, 'roleRef', 'kind'), name: textAt(binding, 'roleRef', 'name') }
    const grant: Grant = {
      binding,
      namespace,
      rules: rulesOf(store, role, namespace),
      role: `${role.kind} ${JSON.stringify(role.name)}`,
    }
    for (const subject of listAt(binding, 'subjects')) {
      const key = subjectKey(subject, namespace)
      index.set(key, [...(index.get(key) ?? []), grant])
    }
  }
  return index
}

const rulesOf = (store: Store, { kind, name }: { kind: string; name: string }, namespace: string): JsonMap[] => {
  const stored =
    kind === 'Role'
      ? store.get(`${rbacGroup}/roles`, `${namespace}/${name}`)
      : store.get(`${rbacGroup}/clusterroles`, name)
  return mapsAt(stored?.object, 'rules')
}

const reasonOf = ({ binding, role }: Grant, user: User): string => {
  const isCluster = binding.kind === 'ClusterRoleBinding'
  const place = isCluster ? binding.metadata.name : `${binding.metadata.name}/${binding.metadata.namespace}`
  const subject = listAt(binding, 'subjects').find(
    each =>
      subjectKey(each, binding.metadata.namespace ?? '') === `User/${user.name}` ||
      user.groups.some(name => subjectKey(each, '') === `Group/${name}`),
  )
  const who =
    textAt(subject, 'kind') === 'ServiceAccount'
      ? `ServiceAccount "${textAt(subject, 'name')}/${textAt(subject, 'namespace')}"`
      : `${textAt(subject, 'kind')} "${textAt(subject, 'name')}"`
  return `RBAC: allowed by ${binding.kind} "${place}" of ${role} to ${who}`
}

export const allowsResource = (rule: JsonMap, { verb, kind, subresource, name }: ResourceRequest): boolean => {
  const names = listAt(rule, 'resourceNames')
  return (
    listsOrAll(rule, 'verbs', verb) &&
    listsOrAll(rule, 'apiGroups', kind.group) &&
    allowsKind(listAt(rule, 'resources'), kind.plural, subresource) &&
    (names.length === 0 || names.includes(name))
  )
}

const allowsKind = (resources: unknown[], plural: string, subresource: string): boolean => {
  const whole = subresource ? `${plural}/${subresource}` : plural
  return resources.some(each => each === '*' || each === whole || (subresource !== '' && each === `*/${subresource}`))
}

export const allowsPath = (rule: JsonMap, { verb, path }: PathRequest): boolean =>
  listsOrAll(rule, 'verbs', verb) && listAt(rule, 'nonResourceURLs').some(pattern => matchesGlob(String(pattern), path))

const refusal = (user: User, { verb, kind, subresource, namespace, name }: ResourceRequest): StatusError => {
  const resource = subresource ? `${kind.plural}/${subresource}` : kind.plural
  const scope = namespace ? `in the namespace ${JSON.stringify(namespace)}` : 'at the cluster scope'
  const why = `User ${JSON.stringify(user.name)} cannot ${verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(kind.group)} ${scope}`
  return forbidden(kind, name, why)
}

/** Whether the path matches. A pattern may end in `*`. */
const matchesGlob = (pattern: string, path: string): boolean =>
  pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)))
