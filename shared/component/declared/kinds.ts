// Facts about kinds: whether they are namespaced, which types a CRD, an APIService or an operator manages, and whether their objects can
// be read now.
import { isMap, isText, type JsonMap, mapOrEmpty, mapsIn, shownText } from '../../core/json/json.ts'
import { conditionOf, isTrue } from '../../core/objects/condition.ts'
import {
  apiVersionOf,
  type GroupVersionKind,
  groupAndKind,
  groupOf,
  type KubeObject,
  type ObjectRef,
} from '../../core/objects/object.ts'
import { itemKey, type ManagedType, refOfItem } from '../item.ts'
import type { GroupKind } from '../settings.ts'
import { type EngineInput, type ObservedCluster, type Scope, sentenceFor } from '../world.ts'

export const managedTypesOf = (object: KubeObject): ManagedType[] =>
  managing[groupAndKind(object)]?.(mapOrEmpty(object.spec)) ?? []

const managing: Readonly<Record<string, (spec: JsonMap) => ManagedType[]>> = {
  'apiextensions.k8s.io/CustomResourceDefinition': ({ group, names }) => [
    { group: shownText(group), version: '*', kind: shownText(isMap(names) ? names.kind : '') },
  ],
  'apiregistration.k8s.io/APIService': ({ group, version }) => [
    { group: shownText(group), version: shownText(version), kind: '*' },
  ],
}

export const ofAnyVersion = (types: readonly GroupKind[]): ManagedType[] =>
  types.map(type => ({ ...type, version: '*' }))

export const isManaged = (types: readonly ManagedType[], type: ManagedType): boolean =>
  types.some(
    ({ group, version, kind }) =>
      isGroupOf(group, type.group) && (version === '*' || version === type.version) && isKindOf(kind, type.kind),
  )

/** Patterns: `*`, `*.suffix` for at least one label before the suffix, or the exact group. Any other `*` matches nothing. */
export const isGroupOf = (pattern: string, group: string): boolean => {
  if (pattern === '*') return true
  if (!pattern.includes('*')) return pattern === group
  const suffix = pattern.slice(1)
  const isWellFormed = pattern.startsWith('*.') && !suffix.includes('*') && suffix.length > 1
  return isWellFormed && group.endsWith(suffix) && group.length > suffix.length
}

const isKindOf = (pattern: string, kind: string): boolean => pattern === '*' || pattern === kind

export const typeOf = ({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): ManagedType => ({
  group: groupOf(apiVersion),
  version: apiVersion.split('/').at(-1) ?? '',
  kind,
})

/** `unknown`: an APIService among the manifests will serve the kind, but is not available yet. */
export type ScopeOf = (kind: GroupVersionKind) => Scope | 'unknown' | undefined

export const kindKey = ({ apiVersion, kind }: GroupVersionKind): string => `${apiVersion}/${kind}`

export const kindKeyOf = (type: ManagedType): string => kindKey({ apiVersion: apiVersionOf(type), kind: type.kind })

/** CRDs among the manifests take precedence over discovery. The scope is undefined until discovery was read. */
export const scopesIn = (manifests: readonly KubeObject[], known: ReadonlyMap<string, Scope>): ScopeOf => {
  const defined = new Map(manifests.filter(isDefinition).flatMap(definedScopes))
  const served = manifests.filter(isApiService).flatMap(managedTypesOf)
  return kind => {
    const scope = defined.get(kindKey(kind)) ?? known.get(kindKey(kind))
    const isKnown = scope !== undefined && scope !== 'unserved'
    return !isKnown && isManaged(served, typeOf(kind)) ? 'unknown' : scope
  }
}

const isDefinition = ({ apiVersion, kind }: KubeObject): boolean =>
  apiVersion === 'apiextensions.k8s.io/v1' && kind === 'CustomResourceDefinition'

const isApiService = ({ apiVersion, kind }: GroupVersionKind): boolean =>
  apiVersion === 'apiregistration.k8s.io/v1' && kind === 'APIService'

const definedScopes = ({ spec }: KubeObject): [string, Scope][] => {
  const { group, names, scope, versions } = isMap(spec) ? spec : ({} as JsonMap)
  const kind = isMap(names) ? shownText(names.kind) : ''
  return mapsIn(versions).map(({ name }) => [
    kindKey({ apiVersion: `${shownText(group)}/${shownText(name)}`, kind }),
    scope === 'Namespaced' ? 'namespaced' : 'cluster',
  ])
}

type Looking = Pick<EngineInput, 'manifests' | 'items' | 'isConfidential'> & { readonly observed: ObservedCluster }

/** APIServices to read to know whether they are available. */
export const servicesUnasked = (looking: Looking): ObjectRef[] => {
  const { asked, live } = looking.observed
  return serviceNames(looking)
    .filter(name => !asked.has(serviceKey(name)) && !live.has(serviceKey(name)))
    .map(name => refOfItem({ ...service, name }))
}

export type WhyUnavailable = (type: ManagedType) => string | undefined

/**
 * The reason why objects of a type cannot be read now. The pass continues, because another dependent may repair this. Items of the type stay
 * in the inventory and do not count as deleted.
 */
export const unavailableKinds = (looking: Looking): WhyUnavailable => {
  const unserved = unservedTypes(looking)
  return type =>
    isManaged(unserved, type)
      ? 'cannot be read while its API server is unavailable'
      : unreadableIn(looking, kindKeyOf(type))
}

/** The reason why objects of this kind cannot be read. The full sentence quotes the webhook, which may quote Secrets. */
export const unreadableIn = (looking: Looking, kind: string): string | undefined => {
  const full = looking.observed.unreadable.get(kind)
  return full && sentenceFor(looking, { full, bare: 'cannot be read: its conversion webhook fails' })
}

/** Types of APIServices that exist and are unavailable. */
const unservedTypes = (looking: Looking): ManagedType[] =>
  serviceNames(looking)
    .flatMap(name => looking.observed.live.get(serviceKey(name)) ?? [])
    .filter(live => !isTrue(conditionOf(live, 'Available')))
    .flatMap(managedTypesOf)

/** Scopes of kinds, from discovery, or from the inventory for unavailable types. */
export const kindsKnown = (looking: Looking): ObservedCluster['kinds'] => {
  const { kinds } = looking.observed
  const unserved = unservedTypes(looking)
  if (unserved.length === 0) return kinds
  const inNamespaces = looking.items.filter(item => item.namespace !== '' && isManaged(unserved, item))
  return new Map([...kinds, ...inNamespaces.map(item => [kindKeyOf(item), 'namespaced'] as const)])
}

const serviceNames = ({ manifests, items }: Looking): string[] => {
  const kept = items.filter(item => item.group === service.group && item.kind === service.kind)
  const names = [...manifests.filter(isApiService).map(nameOf), ...kept.map(({ name }) => name)]
  return [...new Set(names.filter(isText))]
}

/** The manifest has not been checked yet and may have no metadata. */
const nameOf = ({ metadata }: Partial<KubeObject>): unknown => metadata?.name

const service = { group: 'apiregistration.k8s.io', version: 'v1', kind: 'APIService', namespace: '' } as const
const serviceKey = (name: string) => itemKey({ ...service, name })
