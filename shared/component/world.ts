// All that a pass over a component's dependents may know. Half of it, the Question, is there before anything is read;
// observed/reads-wanted.ts says what must be found for it, and the other half is what was found.
import type { ClusterName, KubeObject } from '../core/object.ts'
import type { Owner } from './declared/owner.ts'
import type { Item, ItemKey } from './inventory/item.ts'
import type { EngineSettings } from './settings.ts'

export type World = EngineInput & { readonly found: ObservedCluster }

export type EngineInput = {
  /** `delete`: the component goes, and all its dependents with it. */
  readonly wish: 'apply' | 'delete'
  readonly settings: EngineSettings
  readonly owner: Owner
  readonly componentDigest: string
  /** Where the dependents live. */
  readonly on: ClusterName
  /** Where namespaced objects without a namespace go. */
  readonly namespace: string
  /** As rendered. At deletion only delete hooks matter: empty where none were rendered before. */
  readonly manifests: readonly KubeObject[]
  /** The inventory as it is stored. */
  readonly items: readonly Item[]
  /** Of others, on the component: while these are there, its deletion touches no dependent. */
  readonly foreignFinalizers: readonly string[]
  /** The manifests may hold text of Secrets: nothing of what is in them is told. */
  readonly isConfidential?: boolean
}

/** What a step on a dependent says besides what it does. */
export const stepTo = ({ on, isConfidential }: Pick<EngineInput, 'on' | 'isConfidential'>) => ({
  on,
  ...(isConfidential && { isConfidential }),
})

/** What was read in the target cluster. Asked for and not there is in `asked` only. */
export type ObservedCluster = {
  /** Kinds by `kindKey`, as discovery answers. */
  readonly kinds: ReadonlyMap<string, Scope>
  /** Live objects by the key of their item, those of the lists too. */
  readonly live: ReadonlyMap<ItemKey, KubeObject>
  /** Objects asked for by GET. */
  readonly asked: ReadonlySet<ItemKey>
  /** Kinds listed by owner label, by `kindKey`; `refused` where listing is forbidden. */
  readonly listed: ReadonlyMap<string, 'listed' | 'refused'>
  /** Kinds by `kindKey` whose objects the API server does not hand out, with what it says of it. */
  readonly unreadable: ReadonlyMap<string, string>
  /** Namespaces asked for; false: there is none. */
  readonly namespaces: ReadonlyMap<string, boolean>
  /** Instances of others by `typeKey` of the type asked for. */
  readonly instances: ReadonlyMap<string, Instances>
}

export type Scope = 'namespaced' | 'cluster' | 'unserved'

/** Objects of a type that are not the component's: the names of the first ten, and how many there are. */
export type Instances = { readonly first: readonly string[]; readonly count: number }

/** Nothing has been read yet. */
export const nothingObserved: ObservedCluster = {
  kinds: new Map(),
  live: new Map(),
  asked: new Set(),
  listed: new Map(),
  unreadable: new Map(),
  namespaces: new Map(),
  instances: new Map(),
}
