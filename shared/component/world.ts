// The facts for a pass over dependents: EngineInput is known before any read. ObservedCluster contains the results of the reads that
// observed/reads-wanted.ts requests.
import { type ClusterName, isDeleting, type KubeObject } from '../core/objects/object.ts'
import { skewSeconds } from '../core/time/kube-time.ts'
import { type Item, type ItemKey, itemKey } from './item.ts'
import type { EngineSettings } from './settings.ts'

export type World = EngineInput & { readonly observed: ObservedCluster }

export type EngineInput = {
  /** `delete`: the component is being deleted. */
  readonly goal: 'apply' | 'delete'
  readonly settings: EngineSettings
  readonly owner: Owner
  /** Absent when the component is in another cluster than its dependents. */
  readonly self?: ComponentItself
  readonly componentDigest: string
  readonly on: ClusterName
  /** Default namespace of manifests. */
  readonly namespace: string
  /** Rendered manifests. At the component's deletion only delete hooks count; empty without hooks. */
  readonly manifests: readonly KubeObject[]
  readonly items: readonly Item[]
  /** Items that an earlier pass of the call added. Their objects are created without a read. Absent: none. */
  readonly added?: ReadonlySet<ItemKey>
  /** Finalizers of other controllers on the component. These finalizers block the component's deletion. */
  readonly foreignFinalizers: readonly string[]
  /** Namespaces that are being deleted. Their delete hooks do not run, because nothing can be created in them. Absent: none. */
  readonly endingNamespaces?: readonly string[]
  /** The manifests may contain text of Secrets, so no message quotes them. */
  readonly isConfidential?: boolean
  readonly shared?: SharedObjects
  /**
   * Objects that we handed over to another component, which may not know these objects yet. They have the label of the other component but
   * still count as ours. Absent: none.
   */
  readonly stillOurs?: ReadonlySet<ItemKey>
  readonly needed?: NeededObjects
}

/** The owner of dependents: a component, identified across clusters. */
export type Owner = {
  /** `<uid of kube-system>/<namespace>/<name>` of the component. */
  readonly id: string
  /** Value of the owner label. */
  readonly hash: string
}

type ComponentItself = { readonly uid: string; readonly namespace: string }

/** Other existing components that declare the same object, by item key. */
type SharedObjects = ReadonlyMap<ItemKey, readonly Owner[]>

/** Other components in deletion that still need the object, by item key. The object is removed after these components. */
export type NeededObjects = ReadonlyMap<ItemKey, readonly string[]>

export const stepTo = ({ on, isConfidential }: Pick<EngineInput, 'on' | 'isConfidential'>) => ({
  on,
  ...(isConfidential && { isConfidential }),
})

/** The objects read in the target cluster. The key of a missing object is in `asked` and not in `live`. */
export type ObservedCluster = {
  /** Result of discovery, by `kindKey`. */
  readonly kinds: ReadonlyMap<string, Scope>
  readonly live: ReadonlyMap<ItemKey, KubeObject>
  /** Item keys that were read by GET. */
  readonly asked: ReadonlySet<ItemKey>
  /** Kinds listed by owner label, by `kindKey`. `refused`: listing is forbidden. */
  readonly listed: ReadonlyMap<string, 'listed' | 'refused'>
  /** The reason why objects of a kind cannot be read, by `kindKey`. Example: its conversion webhook is down. */
  readonly unreadable: ReadonlyMap<string, string>
  /** Namespaces that were read. The value undefined means that the namespace does not exist. */
  readonly namespaces: ReadonlyMap<string, KubeObject | undefined>
  /** Instances of types that belong to other owners, by `typeKey`. */
  readonly instances: ReadonlyMap<string, Instances>
  /** Pods of workloads that are not ready, by item key of the workload. Absent: none were read. */
  readonly pods?: ReadonlyMap<ItemKey, readonly KubeObject[]>
}

export type Scope = 'namespaced' | 'cluster' | 'unserved'

/** Instances of other owners: the first ten names, and the count. */
export type Instances = { readonly first: readonly string[]; readonly count: number }

export const nothingObserved: ObservedCluster = {
  kinds: new Map(),
  live: new Map(),
  asked: new Set(),
  listed: new Map(),
  unreadable: new Map(),
  namespaces: new Map(),
  instances: new Map(),
}

/** `full` contains rendered text. `bare` contains no rendered text. Messages use `bare` if manifests may contain text of Secrets. */
export type Sentence = { readonly full: string; readonly bare: string }

export const openSentence = (sentence: string): Sentence => ({ full: sentence, bare: sentence })

export const sentenceFor = (
  { isConfidential }: { readonly isConfidential?: boolean },
  { full, bare }: Sentence,
): string => (isConfidential ? bare : full)

export const lacksNamespace = ({ namespaces }: ObservedCluster, name: string): boolean =>
  namespaces.has(name) && namespaces.get(name) === undefined

/** Whether the namespace was deleted after the last write to an object in it. Call only for missing objects. */
export const isEmptiedSince = ({ namespaces, live }: ObservedCluster, name: string, written: string): boolean => {
  const found = namespaces.get(name) ?? live.get(itemKey({ group: '', kind: 'Namespace', namespace: '', name }))
  return found === undefined || isDeleting(found) || isMadeAfter(found, written)
}

const isMadeAfter = ({ metadata: { creationTimestamp = '' } }: KubeObject, time: string): boolean =>
  Date.parse(creationTimestamp) > Date.parse(time) + skewSeconds * 1000
