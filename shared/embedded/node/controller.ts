// The loop that all controllers share: after a change of an object, or of a related object, the controller reconciles the object. The
// result depends only on the store, so a lost or repeated call has no effect.
import type { KubeObject } from '../../core/objects/object.ts'
import type { Cluster } from '../cluster.ts'
import { StatusError } from '../status.ts'
import type { Change, Store } from '../storage/store.ts'
import { type Pace, pauseMilliseconds } from './behaviour.ts'
import { type RecordEvent, recorder, type Worker, type Writes, writesOf } from './controller-worker.ts'

export type Context = Pace & {
  readonly store: Store
  readonly writes: Writes
  readonly record: RecordEvent
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

const longestTimer = 2 ** 31 - 1

export const runController = (cluster: Cluster, controller: Controller, pace: Pace): (() => void) => {
  const { store, chores } = cluster
  const { name, collection, concerns, worker } = controller
  const writes = writesOf(cluster, worker)
  const record = recorder(cluster, worker, writes)
  const timers = new Map<string, NodeJS.Timeout>()
  const failures = new Map<string, number>()
  let isStopped = false
  const wake = (key: string) => chores.add(`${name} ${key}`, () => visit(key))
  const reconcile = async (key: string, requeueAfter: Context['requeueAfter']) => {
    const context: Context = { store, writes, ...pace, record, requeueAfter }
    const object = store.get(collection, key)?.object
    if (object) await controller.reconcile(context, object)
    else await controller.clear?.(context, key)
  }
  const visit = async (key: string) => {
    clearTimeout(timers.get(key))
    timers.delete(key)
    const pauses: number[] = []
    try {
      await reconcile(key, pause => pauses.push(pause))
      failures.delete(key)
    } catch (error) {
      if (!(error instanceof StatusError)) throw error
      // A refused write is repeated after a pause that grows with each failure.
      const count = failures.get(key) ?? 0
      failures.set(key, count + 1)
      pauses.push(pauseMilliseconds(pace.stepMilliseconds, count))
    }
    const pause = Math.min(longestTimer, Math.max(0, Math.min(...pauses)))
    if (pauses.length > 0 && !isStopped) timers.set(key, setTimeout(() => wake(key), pause).unref())
  }
  const stopListening = store.onChange(change => {
    if (change.collection === collection) wake(change.key)
    for (const key of concerns[change.collection]?.(change, store) ?? []) wake(key)
  })
  for (const key of store.now(collection).keys('')) wake(key)
  return () => {
    stopListening()
    isStopped = true
    for (const timer of timers.values()) clearTimeout(timer)
  }
}
