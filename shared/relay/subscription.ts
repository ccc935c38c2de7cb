// One watch event of one function, in one cluster: which changes count for it and to which keys they lead.
import type { WatchEventSettings } from '../api/serverless.ts'
import { type Key, type KubeObject, keyText, type ObjectRef } from '../core/object.ts'
import type { Client } from '../kube/client-types.ts'
import { mappedKey, type OwnMapping, type Target } from './mapping.ts'
import { type Change, passes } from './sightings.ts'
import { Trail } from './trail.ts'

export type Subscription = {
  readonly settings: WatchEventSettings
  notice(change: Change): void
}

export type SubscriptionOptions = {
  /** Unlike that of any other subscription of the function. */
  name: string
  settings: WatchEventSettings
  client: Client
  /** Asked for every change: the scope of the function's kind may become known late. */
  target(): Target
  /** Whom the cluster belongs to, when it is a remote one. */
  clusterOwner?: Key
  /** `version`: what leads there is no more than this state of an object. */
  enqueue(key: Key, version?: string): void
  ask(question: Question): void
}

/** An object whose keys only its function knows. */
export type Question = {
  /** Asked again before it is answered, only the later question counts. */
  id: string
  object: KubeObject
  type: Change['type']
  ref: ObjectRef
  /** Where the object is read again, should it be let go of before it is sent. */
  client: Client
  answered(keys: readonly Key[]): void
}

export const createSubscription = (options: SubscriptionOptions): Subscription => {
  const { settings, name, client, enqueue, ask } = options
  const { map, on } = settings
  const trail = new Trail()
  const leadTo = (change: Change, keys: readonly Key[], version?: string): void => {
    const all = isConstant(map) ? keys : trail.follow(change, keys)
    for (const key of all) enqueue(key, version)
  }
  const lead = (change: Change): void => {
    const { object, type, ref } = change
    if (map !== 'keys') leadTo(change, keysOf(map, change, options), change.version)
    else if (object === undefined) leadTo(change, [])
    // One question may stand for several changes: where its answer leads, it is for all of them.
    else ask({ id: `${name} ${keyText(ref)}`, object, type, ref, client, answered: keys => leadTo(change, keys) })
  }
  const notice = (change: Change): void => {
    if (passes(change, on)) lead(change)
  }
  return { settings, notice }
}

const keysOf = (map: OwnMapping, { object, ref }: Change, { target, clusterOwner }: SubscriptionOptions): Key[] => {
  const key = mappedKey(map, { object: object ?? bare(ref), target: target(), clusterOwner })
  return key ? [key] : []
}

/** All that is known of an object that went unseen. */
const bare = ({ apiVersion, kind, namespace, name }: ObjectRef): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace ? { namespace } : {}) },
})

/** Leads to the same key whatever happens to the object, so nothing need be remembered. */
const isConstant = (map: WatchEventSettings['map']): boolean =>
  map === 'self' || map === 'cluster' || (typeof map !== 'string' && 'key' in map)
