// The loop that all controllers share: after a change of an object, or of a related object, the controller reconciles the object. The
// result depends only on the store, so a lost or repeated call has no effect.
import type { KubeObject } from '../../core/objects/object.ts'
import type { Cluster } from '../cluster.ts'
import { StatusError } from '../status.ts'
import type { Change, Store } from '../storage/store.ts'
import { type Pace, pauseMilliseconds } from './behaviour.ts'
import { Recorder, type Worker, type Writes, writesOf } from './controller-worker.ts'
import type { EventContent } from './node-events.ts'

export type Context = Pace & {
  readonly store: Store
  readonly writes: Writes
  record(object: KubeObject, content: EventContent): void
  requeueAfter(milliseconds: number): void
}

export type Controller = {
  readonly name: string
  readonly worker: Worker
  readonly collection: string
  /** Maps a change in another collection to the keys of the controller's objects that the change affects. */
  readonly concerns: Readonly<Record<string, (change: Change, store: Store) => readonly string[]>>
  reconcile(context: Context, object: KubeObject): Promise<void>
  clear?(context: Context, key: string): Promise<void>
}

export const runController = (cluster: Cluster, controller: Controller, pace: Pace): (() => void) => {
  const loop = new Loop(cluster, controller, pace)
  const stopListening = cluster.store.onChange(change => loop.onChange(change))
  for (const key of cluster.store.now(controller.collection).keys('')) loop.wake(key)
  return () => {
    stopListening()
    loop.stop()
  }
}

const longestTimer = 2 ** 31 - 1

class Loop {
  readonly #cluster: Cluster
  readonly #controller: Controller
  readonly #pace: Pace
  readonly #writes: Writes
  readonly #recorder: Recorder
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #failures = new Map<string, number>()
  #isStopped = false

  constructor(cluster: Cluster, controller: Controller, pace: Pace) {
    this.#cluster = cluster
    this.#controller = controller
    this.#pace = pace
    this.#writes = writesOf(cluster, controller.worker)
    this.#recorder = new Recorder(cluster, controller.worker)
  }

  onChange(change: Change): void {
    const { collection, concerns } = this.#controller
    if (change.collection === collection) this.wake(change.key)
    for (const key of concerns[change.collection]?.(change, this.#cluster.store) ?? []) this.wake(key)
  }

  wake(key: string): void {
    this.#cluster.chores.add(`${this.#controller.name} ${key}`, () => this.#visit(key))
  }

  stop(): void {
    this.#isStopped = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
  }

  async #visit(key: string): Promise<void> {
    clearTimeout(this.#timers.get(key))
    this.#timers.delete(key)
    const pauses: number[] = []
    try {
      await this.#reconcile(key, pauses)
      this.#failures.delete(key)
    } catch (error) {
      if (!(error instanceof StatusError)) throw error
      pauses.push(this.#pause(key))
    }
    if (pauses.length > 0) this.#again(key, Math.max(0, Math.min(...pauses)))
  }

  async #reconcile(key: string, pauses: number[]): Promise<void> {
    const { store } = this.#cluster
    const context: Context = {
      store,
      writes: this.#writes,
      ...this.#pace,
      record: (object, content) => this.#recorder.record(object, content),
      requeueAfter: pause => pauses.push(pause),
    }
    const object = store.get(this.#controller.collection, key)?.object
    if (object) await this.#controller.reconcile(context, object)
    else await this.#controller.clear?.(context, key)
  }

  /** The pause before a refused write is repeated. The pause grows with each failure. */
  #pause(key: string): number {
    const count = this.#failures.get(key) ?? 0
    this.#failures.set(key, count + 1)
    return pauseMilliseconds(this.#pace.stepMilliseconds, count)
  }

  #again(key: string, milliseconds: number): void {
    if (this.#isStopped) return
    clearTimeout(this.#timers.get(key))
    this.#timers.set(key, setTimeout(() => this.wake(key), Math.min(milliseconds, longestTimer)).unref())
  }
}
