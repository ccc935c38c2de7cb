// One `watch` event of one function in one cluster: decides which changes count, and which keys are called.
import type { WatchEventSettings } from '../../api/serverless.ts'
import { type ClusterName, type Key, type KubeObject, keyText, type ObjectRef } from '../../core/objects/object.ts'
import type { Client } from '../../kube/client-types.ts'
import { keyIn } from '../key-text.ts'
import type { Trigger } from '../queue/dispatch.ts'
import { mappedKey, type OwnKinds, type OwnMapping } from './mapping.ts'
import { type ObjectChange, passes } from './seen-objects.ts'

export type Subscription = {
  readonly settings: Omit<WatchEventSettings, 'map'>
  notice(change: ObjectChange): void
}

type SubscriptionOptions = {
  name: string
  settings: WatchEventSettings
  cluster: ClusterName
  client: Client
  /** Called for each change, because the scope of the function's kind may become known later. */
  target(): OwnKinds
  clusterOwner?: Key
  /** Whether objects of the cluster may lead to the key. The owner of a remote cluster could write any key into objects. */
  concerns(key: Key): boolean
  /** Limit of objects whose previous keys are remembered. */
  objectsMost(): number
  enqueue(key: Key, trigger: Trigger): void
  ask(question: KeysQuestion): void
  /** Monotonic milliseconds. */
  now(): number
}

/** An object whose keys the function determines (`map: keys`). */
export type KeysQuestion = {
  /** A later question with this id replaces a waiting question. */
  id: string
  object: KubeObject
  type: ObjectChange['type']
  isRoutine?: boolean
  ref: ObjectRef
  cluster: ClusterName
  metadataOnly: boolean
  /** The client that reads the object again if the object was not kept. */
  client: Client
  /** `isRoutine`: no event arrived for this question or for a question that it replaced. */
  answered(keys: readonly Key[], isRoutine?: boolean): void
}

export const createSubscription = (options: SubscriptionOptions): Subscription => {
  const { settings, name, cluster, client, enqueue, ask, concerns } = options
  const { map, on, metadataOnly = false } = settings
  const trail = new PreviousKeys(options.objectsMost)
  const leadTo = (change: ObjectChange, keys: readonly Key[], { version, foundAt }: Trigger = {}): void => {
    const { isRoutine } = change
    const concerned = isFixed(map) ? keys : keys.filter(concerns)
    const all = isConstant(map) ? concerned : trail.follow(change, concerned)
    for (const key of all) enqueue(key, { version, isRoutine, foundAt })
  }
  const lead = (change: ObjectChange): void => {
    const { object } = change
    if (map !== 'keys') leadTo(change, keysOf(map, change, options), { version: change.version })
    else if (object === undefined || isForeignEnd(change)) leadTo(change, [])
    else ask(questionOf(change, object))
  }
  /** True for a deleted object of a remote cluster. The object is not kept in memory and cannot be read again. */
  const isForeignEnd = ({ type }: ObjectChange): boolean => type === 'DELETED' && cluster !== 'local'
  // A question may cover several changes, so its answer has no version.
  const questionOf = (change: ObjectChange, object: KubeObject): KeysQuestion => {
    const { type, ref, isRoutine } = change
    const id = `${name} ${keyText(ref)}`
    const foundAt = options.now()
    const answered: KeysQuestion['answered'] = (keys, isRoutine) => leadTo({ ...change, isRoutine }, keys, { foundAt })
    return { id, object, type, isRoutine, ref, cluster, client, metadataOnly, answered }
  }
  const notice = (change: ObjectChange): void => {
    if (passes(change, on)) lead(change)
  }
  return { settings, notice }
}

const keysOf = (
  map: OwnMapping,
  { object, ref }: ObjectChange,
  { target, clusterOwner }: SubscriptionOptions,
): Key[] => {
  const key = mappedKey(map, { object: object ?? bare(ref), target: target(), clusterOwner })
  return key ? [key] : []
}

/** The known fields of an object that was missing in a list. */
const bare = ({ apiVersion, kind, namespace, name }: ObjectRef): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace ? { namespace } : {}) },
})

/** An object always maps to the same key, so previous keys are not needed. */
const isConstant = (map: WatchEventSettings['map']): boolean => map === 'self' || isFixed(map)

const isFixed = (map: WatchEventSettings['map']): boolean =>
  map === 'cluster' || (typeof map !== 'string' && 'key' in map)

// Remembers the keys of each object. Example: a dependent's owner label changes from a to b: both a and b are called. If a dependent was
// deleted without an event, its last owner is called.

export class PreviousKeys {
  readonly #last = new Map<string, readonly string[]>()
  readonly #objectsMost: () => number

  /** `objectsMost`: limit of remembered objects. A change of any other object calls only its current keys. */
  constructor(objectsMost: () => number = () => Number.POSITIVE_INFINITY) {
    this.#objectsMost = objectsMost
  }

  /** The current and previous keys of the object, without duplicates. */
  follow({ type, ref }: ObjectChange, now: readonly Key[]): Key[] {
    const id = keyText(ref)
    const after = now.map(keyText)
    const before = this.#last.get(id) ?? []
    if (type === 'DELETED' || after.length === 0) this.#last.delete(id)
    else if (this.#last.has(id) || this.#last.size < this.#objectsMost()) this.#last.set(id, after)
    return [...new Set([...before, ...after])].map(keyIn)
  }
}
