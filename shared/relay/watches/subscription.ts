// One `watch` event of one function in one cluster: which changes count, and to which keys they lead.
import type { WatchEventSettings } from '../../api/serverless.ts'
import { type ClusterName, type Key, type KubeObject, keyText, type ObjectRef } from '../../core/object.ts'
import type { Client } from '../../kube/client-types.ts'
import { mappedKey, type OwnKinds, type OwnMapping } from './mapping.ts'
import { PreviousKeys } from './previous-keys.ts'
import { type ObjectChange, passes } from './seen-objects.ts'

export type Subscription = {
  readonly settings: WatchEventSettings
  notice(change: ObjectChange): void
}

type SubscriptionOptions = {
  /** Unlike that of any other subscription of the function. */
  name: string
  settings: WatchEventSettings
  cluster: ClusterName
  client: Client
  /** Asked for every change: the scope of the function's kind may become known late. */
  target(): OwnKinds
  /** Whom the cluster belongs to, when it is a remote one. */
  clusterOwner?: Key
  /** Whether objects of the cluster may lead to it: those of somebody else name whom they like. */
  concerns(key: Key): boolean
  /** Of how many it is remembered where they led to. */
  objectsMost(): number
  /** `version`: what leads there is no more than this state of an object. */
  enqueue(key: Key, version?: string): void
  ask(question: KeysQuestion): void
}

/** An object whose keys only its function knows. */
export type KeysQuestion = {
  /** Asked again before it is answered, only the later question counts. */
  id: string
  object: KubeObject
  type: ObjectChange['type']
  ref: ObjectRef
  cluster: ClusterName
  /** Only its metadata is of interest. */
  metadataOnly: boolean
  /** Where the object is read again, should it be let go of before it is sent. */
  client: Client
  answered(keys: readonly Key[]): void
}

export const createSubscription = (options: SubscriptionOptions): Subscription => {
  const { settings, name, cluster, client, enqueue, ask, concerns } = options
  const { map, on, metadataOnly = false } = settings
  const trail = new PreviousKeys(options.objectsMost)
  const leadTo = (change: ObjectChange, keys: readonly Key[], version?: string): void => {
    const concerned = isFixed(map) ? keys : keys.filter(concerns)
    const all = isConstant(map) ? concerned : trail.follow(change, concerned)
    for (const key of all) enqueue(key, version)
  }
  const lead = (change: ObjectChange): void => {
    const { object } = change
    if (map !== 'keys') leadTo(change, keysOf(map, change, options), change.version)
    else if (object === undefined || isForeignEnd(change)) leadTo(change, [])
    else ask(questionOf(change, object))
  }
  /** Its object cannot be read again, and is not held for so long. */
  const isForeignEnd = ({ type }: ObjectChange): boolean => type === 'DELETED' && cluster !== 'local'
  // One question may stand for several changes: where its answer leads, it is for all of them.
  const questionOf = (change: ObjectChange, object: KubeObject): KeysQuestion => {
    const { type, ref } = change
    const id = `${name} ${keyText(ref)}`
    return { id, object, type, ref, cluster, client, metadataOnly, answered: keys => leadTo(change, keys) }
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

/** All that is known of an object that went unseen. */
const bare = ({ apiVersion, kind, namespace, name }: ObjectRef): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace ? { namespace } : {}) },
})

/** Leads to the same key whatever happens to the object, so nothing need be remembered. */
const isConstant = (map: WatchEventSettings['map']): boolean => map === 'self' || isFixed(map)

/** Leads to the same key whatever the object is. */
const isFixed = (map: WatchEventSettings['map']): boolean =>
  map === 'cluster' || (typeof map !== 'string' && 'key' in map)
