// Refuses a role or binding that grants rights which its writer lacks: the rules of the role, or of the bound role. With the verb
// `escalate` the writer may write the role anyway, with `bind` the binding.
import type { KubeObject } from '../../core/objects/object.ts'
import { forbidden, notFound } from '../status.ts'
import { type JsonMap, listAt, mapsAt, sameJson, textAt } from '../value.ts'
import type { Call } from '../verbs/call.ts'
import { allowsPath, allowsResource, allRules, type PathRequest, type ResourceRequest, rbacGroup } from './rbac.ts'

export const refuseEscalation = (call: Call, object: KubeObject, before?: KubeObject): void => {
  const { kind, user } = call
  const refuse = kind.group === rbacGroup ? refusals[kind.plural] : undefined
  if (!refuse || user.groups.includes('system:masters')) return
  if (before === undefined || !isLettingGo(object, before)) refuse(call, object, before)
}

type Refuse = (call: Call, object: KubeObject, before?: KubeObject) => void

const refuseRole: Refuse = (call, object, before) => {
  const { kind, name, namespace } = call
  if (may(call, { verb: 'escalate', plural: kind.plural, name, namespace })) return
  refuseMissing(call, object, rulesOf(object))
  const isGathering = [object, before].some(role => listAt(role, 'aggregationRule', 'clusterRoleSelectors').length > 0)
  if (isGathering && missing(call, allRules).length > 0)
    throw forbidden(kind, object.metadata.name, 'must have cluster-admin privileges to use the aggregationRule')
}

const refuseBinding: Refuse = (call, object) => {
  const { cluster, namespace } = call
  const [kindName, name] = [textAt(object, 'roleRef', 'kind'), textAt(object, 'roleRef', 'name')]
  // Other checks refuse a reference to a role of an invalid kind.
  const kind = ['Role', 'ClusterRole'].includes(kindName)
    ? cluster.registry.named(`${rbacGroup}/v1`, kindName)
    : undefined
  if (!kind || may(call, { verb: 'bind', plural: kind.plural, name, namespace })) return
  const role = cluster.store.get(kind.collection, kind.namespaced ? `${namespace}/${name}` : name)
  // As in the API server, the message calls the binding missing.
  if (!role) throw notFound(call.kind, name)
  refuseMissing(call, object, rulesOf(role.object))
}

const refusals: Readonly<Record<string, Refuse>> = {
  roles: refuseRole,
  clusterroles: refuseRole,
  rolebindings: refuseBinding,
  clusterrolebindings: refuseBinding,
}

/** The garbage collector changes only owners and finalizers, which grants no rights. */
const isLettingGo = (object: KubeObject, before: KubeObject): boolean =>
  sameJson(withoutHolders(object), withoutHolders(before))

const withoutHolders = ({ metadata, ...content }: KubeObject): unknown => {
  const { ownerReferences: _, finalizers: __, managedFields: ___, ...own } = metadata
  return { ...content, metadata: own }
}

type Question = Pick<ResourceRequest, 'verb' | 'name' | 'namespace'> & { readonly plural: string }

const may = ({ cluster, user }: Call, { plural, ...question }: Question): boolean =>
  cluster.authorization.onResource(user, { ...question, ...onKind(rbacGroup, plural) }).isAllowed

const onKind = (group: string, plural: string, subresource = '') => ({
  kind: { group, version: '*', plural, kind: '' },
  subresource,
})

const rulesOf = (role: KubeObject): JsonMap[] => mapsAt(role, 'rules')

const refuseMissing = (call: Call, object: KubeObject, rules: readonly JsonMap[]): void => {
  const rights = missing(call, rules)
  if (rights.length === 0) return
  const { name, groups } = call.user
  const why = `user ${JSON.stringify(name)} (groups=${quoted(groups)}) is attempting to grant RBAC permissions not currently held:`
  throw forbidden(call.kind, object.metadata.name, [why, ...rightTexts(rights)].join('\n'))
}

type Right = ResourceRequest | PathRequest

const missing = ({ cluster, user, namespace }: Call, rules: readonly JsonMap[]): Right[] => {
  const own = cluster.authorization.rules(user, namespace)
  const isHeld = (right: Right): boolean =>
    own.some(rule => ('path' in right ? allowsPath(rule, right) : allowsResource(rule, right)))
  return rules.flatMap(rightsIn).filter(right => !isHeld(right))
}

const rightsIn = (rule: JsonMap): Right[] => {
  const all = (field: string): string[] => listAt(rule, field).map(String)
  const names = all('resourceNames').length > 0 ? all('resourceNames') : ['']
  const places = all('apiGroups').flatMap(group => all('resources').map(resource => placeOf(group, resource)))
  return [
    ...places.flatMap(place =>
      all('verbs').flatMap(verb => names.map(name => ({ ...place, verb, name, namespace: '' }))),
    ),
    ...all('nonResourceURLs').flatMap(path => all('verbs').map(verb => ({ path, verb }))),
  ]
}

const placeOf = (group: string, resource: string) => {
  const [plural = '', ...subresource] = resource.split('/')
  return onKind(group, plural, subresource.join('/'))
}

const rightTexts = (rights: readonly Right[]): string[] => {
  const byPlace = Map.groupBy(rights, right => placeText(right))
  const texts = [...byPlace].flatMap(([place, together]) => {
    const verbs = together.map(({ verb }) => verb)
    return together.some(right => 'path' in right)
      ? verbs.map(verb => withVerbs(place, [verb]))
      : withVerbs(place, verbs)
  })
  return [...new Set(texts)].sort()
}

const withVerbs = (place: string, verbs: readonly string[]): string => `{${place}, Verbs:${quoted(verbs)}}`

const placeText = (right: Right): string => {
  if ('path' in right) return `NonResourceURLs:${quoted([right.path])}`
  const { kind, subresource, name } = right
  const resource = subresource ? `${kind.plural}/${subresource}` : kind.plural
  const names = name ? `, ResourceNames:${quoted([name])}` : ''
  return `APIGroups:${quoted([kind.group])}, Resources:${quoted([resource])}${names}`
}

const quoted = (texts: readonly string[]): string => `[${texts.map(text => JSON.stringify(text)).join(' ')}]`
