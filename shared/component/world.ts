// All that a pass over a component's dependents may know: EngineInput, which is known before anything is read, and
// ObservedCluster, which was read because observed/reads-wanted.ts asked for it.
import type { ClusterName, KubeObject } from '../core/objects/object.ts'
import type { Owner } from './declared/owner.ts'
import type { Item, ItemKey } from './inventory/item.ts'
import type { EngineSettings } from './settings.ts'

export type World = EngineInput & { readonly observed: ObservedCluster }

export type EngineInput = {
  /** `delete`: the component is being deleted, and all its dependents with it. */
  readonly goal: 'apply' | 'delete'
  readonly settings: EngineSettings
  readonly owner: Owner
  /** Absent: it does not live in the cluster of its dependents. */
  readonly self?: ComponentItself
  readonly componentDigest: string
  readonly on: ClusterName
  /** For namespaced manifests that name no namespace. */
  readonly namespace: string
  /** As rendered. At the component's deletion only delete hooks count; empty if there were none. */
  readonly manifests: readonly KubeObject[]
  readonly items: readonly Item[]
  /** Finalizers of others on the component. As long as there is one, its deletion touches no dependent. */
  readonly foreignFinalizers: readonly string[]
  /** They have delete hooks and are being deleted: nothing can be created in them, so these hooks do not run. Absent: none. */
  readonly endingNamespaces?: readonly string[]
  /** The manifests may hold text of Secrets, so no message quotes them. */
  readonly isConfidential?: boolean
  readonly shared?: SharedObjects
  /** Objects with the label of another component that are this one's all the same: it left them to that one, which may not know. Absent: none. */
  readonly stillOurs?: ReadonlySet<ItemKey>
  readonly needed?: NeededObjects
}

type ComponentItself = { readonly uid: string; readonly namespace: string }

/** By item key: the other living components that declare the same object. */
type SharedObjects = ReadonlyMap<ItemKey, readonly Owner[]>

/** By item key: the other components that go, too, and need the object until then, as messages name them. It is removed later. */
export type NeededObjects = ReadonlyMap<ItemKey, readonly string[]>

export const stepTo = ({ on, isConfidential }: Pick<EngineInput, 'on' | 'isConfidential'>) => ({
  on,
  ...(isConfidential && { isConfidential }),
})

/** What was read in the target cluster. An object that was asked for and does not exist is in `asked` and not in `live`. */
export type ObservedCluster = {
  /** By `kindKey`: what discovery says of the kind. */
  readonly kinds: ReadonlyMap<string, Scope>
  readonly live: ReadonlyMap<ItemKey, KubeObject>
  /** The item keys that were asked for by GET. */
  readonly asked: ReadonlySet<ItemKey>
  /** By `kindKey`: whether the kind was listed by owner label. `refused`: listing is forbidden. */
  readonly listed: ReadonlyMap<string, 'listed' | 'refused'>
  /** By `kindKey`: why the API server does not return objects of the kind. Example: its conversion webhook is down. */
  readonly unreadable: ReadonlyMap<string, string>
  /** Namespaces that were asked for, as far as they are known; undefined: it does not exist. */
  readonly namespaces: ReadonlyMap<string, KubeObject | undefined>
  /** By `typeKey`: instances of the type that are not the component's. */
  readonly instances: ReadonlyMap<string, Instances>
  /** Pods of workloads that are not ready, by the item key of the workload. Absent: none were read. */
  readonly pods?: ReadonlyMap<ItemKey, readonly KubeObject[]>
}

export type Scope = 'namespaced' | 'cluster' | 'unserved'

/** Objects of a type that are not the component's: the names of the first ten, and how many there are. */
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
