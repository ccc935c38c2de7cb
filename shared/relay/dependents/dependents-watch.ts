// Watches one kind of dependents, such as the Deployments of all Components, and calls the owners that need the watch. If the watch is
// forbidden or exceeds the limits, the owners are called every minute instead.
import type { InventorySettings } from '../../api/serverless.ts'
import {
  type ClusterName,
  type GroupVersionKind,
  type Key,
  type KubeObject,
  keyOf,
  keyText,
} from '../../core/objects/object.ts'
import type { Client, ClientOptions } from '../../kube/client-types.ts'
import { keyIn } from '../key-text.ts'
import { isStillRoutine, type Trigger } from '../queue/dispatch.ts'
import type { Interruption, InterruptionCause } from '../watches/interruptions.ts'
import { mappedKey, type OwnKinds } from '../watches/mapping.ts'
import type { ObjectChange } from '../watches/seen-objects.ts'
import { PreviousKeys } from '../watches/subscription.ts'
import { type FinishedList, startWatch, type Watch, type WatchSurroundings } from '../watches/watch.ts'

export type DependentsWatchOptions = {
  functionName: string
  settings: InventorySettings
  target(): OwnKinds
  enqueue(key: Key, trigger?: Trigger): void
  local: Client
  /** Options for clients of kubeconfigs. */
  clientOptions?: ClientOptions
  homeOf(owner: string): ClusterName | undefined
  /** How often owners are called while their dependents cannot be watched. */
  pollSeconds: number
}

type WatchedDependents = GroupVersionKind & { cluster: ClusterName; namespace?: string }

/** The items of one owner: `namespace/name`, or `name` for cluster-scoped objects and items without namespace. */
type DeclaredItems = ReadonlySet<string>

const declares = (items: DeclaredItems | undefined, ref: Key): boolean =>
  items !== undefined && (items.has(keyText(ref)) || items.has(ref.name))

/** Example: with 50 declared items, the watch remembers 200 objects. Further objects do not belong to the owners. */
const objectsMostFor = (items: number): number => 2 * items + 100

/** Causes that do not end soon: RBAC forbids the watch, or the cluster exceeded the limits. */
const blindCauses: readonly InterruptionCause[] = ['refused', 'excess']

/** A dependent that was not yet in its owner's inventory at its event. */
type Early = Trigger & { owner: string; ref: Key }

/** Limit of early dependents, because any user may write objects with an owner label. The oldest are dropped. */
const earlyMost = 1_000

export class DependentsWatch {
  readonly watched: WatchedDependents
  readonly #options: DependentsWatchOptions
  readonly #surroundings: WatchSurroundings
  readonly #owners = new Map<string, DeclaredItems>()
  #items = 0
  /** Early dependents by owner and dependent. The owner is called as soon as its inventory contains the dependent. */
  readonly #early = new Map<string, Early>()
  readonly #objectsMost = () => objectsMostFor(this.#items)
  readonly #trail = new PreviousKeys(this.#objectsMost)
  #watch: Watch | undefined
  #endPolling: (() => void) | undefined

  constructor(watched: WatchedDependents, options: DependentsWatchOptions, surroundings: WatchSurroundings) {
    this.watched = watched
    this.#options = options
    this.#surroundings = surroundings
  }

  /** As in Watch; undefined before `begin`. */
  get tried(): Promise<void> | undefined {
    return this.#watch?.tried
  }

  get isNeeded(): boolean {
    return this.#owners.size > 0
  }

  need(owner: string, items: DeclaredItems): void {
    this.release(owner)
    this.#owners.set(owner, items)
    this.#items += items.size
    for (const [id, early] of this.#early) {
      if (early.owner !== owner || !declares(items, early.ref)) continue
      this.#early.delete(id)
      this.#options.enqueue(keyIn(owner), { version: early.version, isRoutine: early.isRoutine })
    }
  }

  release(owner: string): void {
    this.#items -= this.#owners.get(owner)?.size ?? 0
    this.#owners.delete(owner)
  }

  begin(client: Client): void {
    const { apiVersion, kind, namespace, cluster } = this.watched
    const labelSelector = this.#options.settings.ownerLabel
    const isByName = labelSelector === undefined
    this.#watch = startWatch({
      ...this.#surroundings,
      client,
      cluster,
      watched: { apiVersion, kind, namespace, labelSelector, metadataOnly: true },
      filters: (isByName ? undefined : this.#options.settings.on) ?? ['any'],
      memory: {
        concerns: object => (isByName ? this.#isNamed(object) : this.#isOwned(object)),
        objectsMost: this.#objectsMost,
      },
      changed: change => (isByName ? this.#callByName(change) : this.#callByLabel(change)),
      listed: list => this.#callForAbsent(list),
      state: interruption => this.#stateIs(interruption),
    })
  }

  async end(): Promise<void> {
    this.#stopPolling()
    await this.#watch?.stop()
  }

  #isNamed(object: KubeObject): boolean {
    return [...this.#owners.values()].some(items => declares(items, keyOf(object)))
  }

  #isOwned(object: KubeObject): boolean {
    const owner = this.#ownerOf(object)
    return owner !== undefined && this.#isDeclared(keyText(owner), keyOf(object))
  }

  #isDeclared(owner: string, ref: Key): boolean {
    return declares(this.#owners.get(owner), ref)
  }

  /**
   * Each change of a declared object calls the owner, even a write of the owner's call. Example: a ConfigMap is both a reference and a
   * dependent of `web`. The call for `web` read this ConfigMap and then wrote it, but has not read the new content.
   */
  #callByName({ ref, isRoutine }: ObjectChange): void {
    for (const [owner, items] of this.#owners)
      if (declares(items, ref)) this.#options.enqueue(keyIn(owner), { isRoutine })
  }

  /** Only owners that declare the object are called, because any user may write an object with an owner label. */
  #callByLabel(change: ObjectChange): void {
    const { ref, object, version, isRoutine } = change
    const owner = object && this.#ownerOf(object)
    const isTheirs = owner !== undefined && this.#isDeclared(keyText(owner), ref)
    if (owner && !isTheirs) this.#rememberEarly({ owner: keyText(owner), ref, version, isRoutine })
    for (const led of this.#trail.follow(change, isTheirs ? [owner] : []))
      if (this.#isDeclared(keyText(led), ref)) this.#options.enqueue(led, { version, isRoutine })
  }

  #rememberEarly(early: Early): void {
    const id = `${early.owner} ${keyText(early.ref)}`
    const before = this.#early.get(id)
    // Of two events, at most one can be the call's own write. So the version is dropped.
    this.#early.delete(id)
    this.#early.set(id, before ? { ...early, version: undefined, isRoutine: isStillRoutine(before, early) } : early)
    const [oldest] = this.#early.keys()
    if (this.#early.size > earlyMost && oldest !== undefined) this.#early.delete(oldest)
  }

  /** In a remote cluster, any user may write any owner label, so only owners with dependents in this cluster count. */
  #ownerOf(object: KubeObject): Key | undefined {
    const { settings, target, homeOf } = this.#options
    const { ownerLabel = '', ownerAnnotation } = settings
    const map = ownerAnnotation === undefined ? { label: ownerLabel } : { annotation: ownerAnnotation }
    const key = mappedKey(map, { object, target: target() })
    return key && homeOf(keyText(key)) === this.watched.cluster ? key : undefined
  }

  /** Calls owners whose dependents may have been deleted without an event, because a list does not show deleted objects. */
  #callForAbsent({ isThere, followsInterruption }: FinishedList): void {
    const isByName = this.#options.settings.ownerLabel === undefined
    const isMissed = (items: DeclaredItems) =>
      isByName ? [...items].some(item => !isThere(keyIn(item))) : followsInterruption
    const trigger = { isRoutine: !followsInterruption }
    for (const [owner, items] of this.#owners) if (isMissed(items)) this.#options.enqueue(keyIn(owner), trigger)
  }

  /** Polls the owners while the watch is forbidden or exceeds the limits. The watch continues to retry. */
  #stateIs(interruption: Interruption | undefined): void {
    if (interruption === undefined || !blindCauses.includes(interruption.cause)) this.#stopPolling()
    else if (!this.#endPolling) this.#beginPolling(interruption)
  }

  #callAll(): void {
    for (const owner of this.#owners.keys()) this.#options.enqueue(keyIn(owner), { isRoutine: true })
  }

  #stopPolling(): void {
    this.#endPolling?.()
    this.#endPolling = undefined
  }

  #beginPolling({ cause }: Interruption): void {
    const { functionName, pollSeconds } = this.#options
    const { log } = this.#surroundings
    const facts = { function: functionName, ...this.watched, cause, pollSeconds }
    log.warn(facts, 'changes cannot be watched: the owners are polled instead')
    this.#pollLater()
  }

  #pollLater(): void {
    this.#endPolling = this.#surroundings.clock.after(this.#options.pollSeconds * 1000, () => {
      this.#callAll()
      this.#pollLater()
    })
  }
}
