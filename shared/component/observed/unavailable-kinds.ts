// Finds types whose objects cannot be read now, because an APIService of the component is unavailable or a conversion webhook fails. The
// pass continues, because another dependent may repair this problem. Their items stay in the inventory and do not count as deleted.
import { isText } from '../../core/json/json.ts'
import { conditionOf, isTrue } from '../../core/objects/condition.ts'
import type { KubeObject, ObjectRef } from '../../core/objects/object.ts'
import { isApiService, kindKeyOf } from '../declared/kind-scopes.ts'
import { isManaged, managedTypesOf } from '../declared/managed-types.ts'
import { itemKey, type ManagedType, refOfItem } from '../inventory/item.ts'
import { sentenceFor } from '../reported/sentences.ts'
import type { EngineInput, ObservedCluster } from '../world.ts'

type Looking = Pick<EngineInput, 'manifests' | 'items' | 'isConfidential'> & { readonly observed: ObservedCluster }

/** APIServices to read to know whether they are available. */
export const servicesUnasked = (looking: Looking): ObjectRef[] => {
  const { asked, live } = looking.observed
  return serviceNames(looking)
    .filter(name => !asked.has(serviceKey(name)) && !live.has(serviceKey(name)))
    .map(name => refOfItem({ ...service, name }))
}

export type WhyUnavailable = (type: ManagedType) => string | undefined

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
