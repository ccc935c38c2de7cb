// Maps objects to keys of the function, one row per mapping. Example: `owner` maps a ConfigMap in `apps` whose controller is the Widget
// `web` to `apps/web`. For `map: keys`, calls/key-questions.ts asks the function. Pure.
import type { WatchMapping } from '../../api/serverless.ts'
import { type GroupVersionKind, groupOf, type Key, type KubeObject, keyOf } from '../../core/objects/object.ts'

export type OwnKinds = {
  kinds: readonly GroupVersionKind[]
  /** False for cluster-scoped kinds, whose keys have no namespace. */
  isNamespaced: boolean
}

/** `clusterOwner`: the owner of the object's remote cluster. */
type MappedObject = { object: KubeObject; target: OwnKinds; clusterOwner?: Key }

/** All mappings except `keys`. */
export type OwnMapping = Exclude<WatchMapping, 'keys'>

type NamedMapping = Extract<OwnMapping, string>
type Row = (sight: MappedObject) => Key | undefined

export const mappedKey = (mapping: OwnMapping, sight: MappedObject): Key | undefined => {
  if (typeof mapping === 'string') return rows[mapping](sight)
  if ('key' in mapping) return mapping.key
  return namedKey(valueIn(sight.object, mapping), mapping.namespace, sight)
}

const rows: Record<NamedMapping, Row> = {
  self: ({ object }) => keyOf(object),
  owner: ({ object, target }) => {
    const owner = object.metadata.ownerReferences?.find(reference => reference.controller === true)
    if (!owner?.name || !target.kinds.some(kind => isSameKind(kind, owner))) return undefined
    return { namespace: target.isNamespaced ? keyOf(object).namespace : '', name: owner.name }
  },
  cluster: ({ clusterOwner }) => clusterOwner,
}

type ValueMapping = Exclude<OwnMapping, string | { key: Key }>

const valueIn = ({ metadata }: KubeObject, mapping: ValueMapping): string | undefined =>
  'label' in mapping ? metadata.labels?.[mapping.label] : metadata.annotations?.[mapping.annotation]

/** The value ends with a key (`apps/web`, `espalier/apps/web`), or is a name in `namespace`, or in the object's namespace. */
const namedKey = (value: unknown, namespace: string | undefined, { object, target }: MappedObject) => {
  const [name, named] = isKeyLong(value) ? value.split('/').toReversed() : []
  if (!name) return undefined
  if (!target.isNamespaced) return { namespace: '', name }
  return { namespace: named ?? namespace ?? keyOf(object).namespace, name }
}

/** In a remote cluster the value may be anything, for example megabytes of text. */
const isKeyLong = (value: unknown): value is string => typeof value === 'string' && value.length <= 1024

/** Ignores the version: an ownerReference may have v1alpha1 where the function watches v1. */
const isSameKind = (one: GroupVersionKind, other: GroupVersionKind): boolean =>
  one.kind === other.kind && groupOf(one.apiVersion) === groupOf(other.apiVersion)
