// Types whose objects cannot be read now: the API server behind one of the component's APIServices does not answer, or a
// conversion webhook fails. The pass goes on without them, since the Deployment that repairs this may be another dependent of
// the same component. Their items stay in the inventory as they are, and none of them counts as deleted.
import { isText } from '../../core/json/json.ts'
import { conditionOf, isTrue } from '../../core/objects/condition.ts'
import type { KubeObject, ObjectRef } from '../../core/objects/object.ts'
import { isApiService, kindKeyOf } from '../declared/kind-scopes.ts'
import { isManaged, managedTypesOf } from '../declared/managed-types.ts'
import { itemKey, type ManagedType, refOfItem } from '../inventory/item.ts'
import { sentenceFor } from '../reported/sentences.ts'
import type { EngineInput, ObservedCluster } from '../world.ts'

type Looking = Pick<EngineInput, 'manifests' | 'items' | 'isConfidential'> & { readonly observed: ObservedCluster }

/** APIServices that have to be read to know whether they are available. */
export const servicesUnasked = (looking: Looking): ObjectRef[] => {
  const { asked, live } = looking.observed
  return serviceNames(looking)
    .filter(name => !asked.has(serviceKey(name)) && !live.has(serviceKey(name)))
    .map(name => refOfItem({ ...service, name }))
}

/** Why objects of a type cannot be read; undefined: they can. */
export type WhyUnavailable = (type: ManagedType) => string | undefined

export const unavailableKinds = (looking: Looking): WhyUnavailable => {
  const unserved = unservedTypes(looking)
  return type =>
    isManaged(unserved, type)
      ? 'cannot be looked for as long as its API server is away'
      : unreadableIn(looking, kindKeyOf(type))
}

/** Why the API server returns no objects of this kind. The full sentence quotes the webhook, which may quote an object. */
export const unreadableIn = (looking: Looking, kind: string): string | undefined => {
  const full = looking.observed.unreadable.get(kind)
  return full && sentenceFor(looking, { full, bare: 'cannot be read: its conversion webhook fails' })
}

/** The types of APIServices that exist and are not available. */
const unservedTypes = (looking: Looking): ManagedType[] =>
  serviceNames(looking)
    .flatMap(name => looking.observed.live.get(serviceKey(name)) ?? [])
    .filter(live => !isTrue(conditionOf(live, 'Available')))
    .flatMap(managedTypesOf)

/** The scope of each kind: from discovery, and for unavailable types from the inventory. */
export const kindsKnown = (looking: Looking): ObservedCluster['kinds'] => {
  const { kinds } = looking.observed
  const unserved = unservedTypes(looking)
  if (unserved.length === 0) return kinds
  const inNamespaces = looking.items.filter(item => item.namespace !== '' && isManaged(unserved, item))
  return new Map([...kinds, ...inNamespaces.map(item => [kindKeyOf(item), 'namespaced'] as const)])
}

/** Declared, or still in the inventory. */
const serviceNames = ({ manifests, items }: Looking): string[] => {
  const kept = items.filter(item => item.group === service.group && item.kind === service.kind)
  const names = [...manifests.filter(isApiService).map(nameOf), ...kept.map(({ name }) => name)]
  return [...new Set(names.filter(isText))]
}

/** The manifest is not checked yet and may have no metadata. */
const nameOf = ({ metadata }: Partial<KubeObject>): unknown => metadata?.name

const service = { group: 'apiregistration.k8s.io', version: 'v1', kind: 'APIService', namespace: '' } as const
const serviceKey = (name: string) => itemKey({ ...service, name })
