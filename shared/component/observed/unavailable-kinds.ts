// Types whose objects cannot be had now: one of the component's APIServices serves them, and the server behind it is away, or
// the webhook that converts them is. To insist would hold up all that the component has besides, such as the very
// Deployment that brings them back. So nothing more is asked: what is known of such objects stays as it is, and none of
// them counts as gone.
import { isText } from '../../core/json.ts'
import type { KubeObject, ObjectRef } from '../../core/object.ts'
import { isApiService, kindKeyOf } from '../declared/kind-scopes.ts'
import { isManaged, managedTypesOf } from '../declared/managed-types.ts'
import { itemKey, type ManagedType, refOfItem } from '../inventory/item.ts'
import { sentenceFor } from '../told/sentences.ts'
import type { EngineInput, ObservedCluster } from '../world.ts'
import { conditionOf, isTrue } from './readiness-by-kind.ts'

type Looking = Pick<EngineInput, 'manifests' | 'items' | 'isConfidential'> & { readonly found: ObservedCluster }

/** APIServices of which it is not known yet whether they are available. */
export const servicesUnasked = (looking: Looking): ObjectRef[] => {
  const { asked, live } = looking.found
  return serviceNames(looking)
    .filter(name => !asked.has(serviceKey(name)) && !live.has(serviceKey(name)))
    .map(name => refOfItem({ ...service, name }))
}

/** Why objects of a type cannot be had; undefined: they can. */
export type WhyUnavailable = (type: ManagedType) => string | undefined

export const unavailableKinds = (looking: Looking): WhyUnavailable => {
  const unserved = unservedTypes(looking)
  return type =>
    isManaged(unserved, type)
      ? 'cannot be looked for as long as its API server is away'
      : unreadableIn(looking, kindKeyOf(type))
}

/** Why the API server hands out no objects of this kind; what converts them may quote them. */
export const unreadableIn = (looking: Looking, kind: string): string | undefined => {
  const full = looking.found.unreadable.get(kind)
  return full && sentenceFor(looking, { full, bare: 'cannot be read: its conversion webhook fails' })
}

/** Of APIServices that are there and not available: one that is not there has no types to be asked for. */
const unservedTypes = (looking: Looking): ManagedType[] =>
  serviceNames(looking)
    .flatMap(name => looking.found.live.get(serviceKey(name)) ?? [])
    .filter(live => !isTrue(conditionOf(live, 'Available')))
    .flatMap(managedTypesOf)

/** What discovery said; of types that are away, what the inventory tells. */
export const kindsKnown = (looking: Looking): ObservedCluster['kinds'] => {
  const { kinds } = looking.found
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

/** A manifest may still have no metadata. */
const nameOf = ({ metadata }: Partial<KubeObject>): unknown => metadata?.name

const service = { group: 'apiregistration.k8s.io', version: 'v1', kind: 'APIService', namespace: '' } as const
const serviceKey = (name: string) => itemKey({ ...service, name })
