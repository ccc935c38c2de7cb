// Leads from an object to a key of the function, one row per mapping: a ConfigMap in `apps` whose controller is the
// Widget `web` leads by `owner` to `apps/web`. For `map: keys` the function itself is asked, by calls/key-questions.ts. Pure.
import type { WatchMapping } from '../../api/serverless.ts'
import { type GroupVersionKind, groupOf, type Key, type KubeObject, keyOf } from '../../core/object.ts'

/** What the keys are to be of. */
export type OwnKinds = {
  /** The function's own kinds. */
  kinds: readonly GroupVersionKind[]
  /** Keys of cluster-scoped kinds have no namespace, whatever led to them. */
  isNamespaced: boolean
}

/** `clusterOwner`: whom the object's cluster belongs to, when it is a remote one. */
type MappedObject = { object: KubeObject; target: OwnKinds; clusterOwner?: Key }

/** Every mapping the relay performs by itself. */
export type OwnMapping = Exclude<WatchMapping, 'keys'>

type NamedMapping = Extract<OwnMapping, string>
type Row = (sight: MappedObject) => Key | undefined

/** The key the object concerns, if any. */
export const mappedKey = (mapping: OwnMapping, sight: MappedObject): Key | undefined => {
  if (typeof mapping === 'string') return rows[mapping](sight)
  if ('key' in mapping) return mapping.key
  return namedKey(valueIn(sight.object, mapping), mapping.namespace, sight)
}

const rows: Record<NamedMapping, Row> = {
  self: ({ object }) => keyOf(object),
  owner: ({ object, target }) => {
    const owner = object.metadata.ownerReferences?.find(reference => reference.controller === true)
    if (!owner || !target.kinds.some(kind => isSameKind(kind, owner))) return undefined
    return { namespace: target.isNamespaced ? keyOf(object).namespace : '', name: owner.name }
  },
  cluster: ({ clusterOwner }) => clusterOwner,
}

type ValueMapping = Exclude<OwnMapping, string | { key: Key }>

const valueIn = ({ metadata }: KubeObject, mapping: ValueMapping): string | undefined =>
  'label' in mapping ? metadata.labels?.[mapping.label] : metadata.annotations?.[mapping.annotation]

/**
 * The value is `namespace/name`, whatever stands before it, or a name alone, which is in the given namespace or the
 * object's.
 */
const namedKey = (value: unknown, namespace: string | undefined, { object, target }: MappedObject) => {
  const [name, named] = isKeyLong(value) ? value.split('/').toReversed() : []
  if (!name) return undefined
  if (!target.isNamespaced) return { namespace: '', name }
  return { namespace: named ?? namespace ?? keyOf(object).namespace, name }
}

/** Objects of other clusters hold what somebody else wrote: it may be no text, or one without end. */
const isKeyLong = (value: unknown): value is string => typeof value === 'string' && value.length <= 1024

/** An owner may be named in another version than the one we watch. */
const isSameKind = (one: GroupVersionKind, other: GroupVersionKind): boolean =>
  one.kind === other.kind && groupOf(one.apiVersion) === groupOf(other.apiVersion)
