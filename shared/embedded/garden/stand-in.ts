// Runs stand-ins for operators that a Garden needs, such as druid, the resource manager and a load balancer, and their writes. Stand-ins
// are for tests and trials, never for production. A stand-in watches some kinds, and reads all their objects again after any change. So a
// missed or repeated call has no effect.
//
//   const stop = runStandIn(loadBalancer(client))
//   await stop()
import { setTimeout as wait } from 'node:timers/promises'
import { type JsonMap, mapOrEmpty, sameJson } from '../../core/json/json.ts'
import {
  type GroupVersionKind,
  hasFinalizer,
  type KubeObject,
  keyOf,
  keyText,
  type ObjectRef,
  refOf,
} from '../../core/objects/object.ts'
import { errorText } from '../../core/text/error-text.ts'
import type { Client } from '../../kube/client-types.ts'
import { isConflict, isGone, isNotFound, isNotServed, isTrouble } from '../../kube/errors.ts'
import { type Condition, conditionsOf, withConditions } from '../conditions.ts'
import { nowText } from '../time.ts'

export const secretKind = { apiVersion: 'v1', kind: 'Secret' } as const

type KnownKind = GroupVersionKind & { readonly client: Client; readonly namespace?: string }

/** The objects of the watched kinds. These objects can be slightly out of date. */
export type Known = {
  all(kind: GroupVersionKind): KubeObject[]
  find(ref: ObjectRef): KubeObject | undefined
}

export type StandIn = {
  readonly name: string
  readonly kinds: readonly KnownKind[]
  /** Writes all differences. Called again after a failure, and after the returned number of milliseconds. */
  reconcile(known: Known): Promise<number | undefined>
}

export type ListeningAt = {
  readonly runtime: Client
  readonly namespace: string
  readonly host: string
  readonly port: number
}

const againMilliseconds = 100

/** Returns a function that waits for the current call and stops the stand-in. Waits for kinds that are not served yet. */
export const runStandIn = (standIn: StandIn): (() => Promise<void>) => {
  const ending = new AbortController()
  const mirrors = new Map<string, Mirror>(standIn.kinds.map(kind => [kindKey(kind), new Map()]))
  const rounds = new Rounds(() => standIn.reconcile(knownIn(mirrors)), standIn.name, ending.signal)
  const follows = standIn.kinds.map(kind =>
    followed(kind, mirrors.get(kindKey(kind)) ?? new Map(), { wake: () => rounds.wake(), signal: ending.signal }),
  )
  return async () => {
    ending.abort()
    await Promise.all([rounds.ended(), ...follows])
  }
}

type Mirror = Map<string, KubeObject>

const kindKey = ({ apiVersion, kind }: GroupVersionKind): string => `${apiVersion} ${kind}`

const knownIn = (mirrors: ReadonlyMap<string, Mirror>): Known => ({
  all: kind => [...(mirrors.get(kindKey(kind))?.values() ?? [])],
  find: ref => mirrors.get(kindKey(ref))?.get(keyText(ref)),
})

type Following = { readonly wake: () => void; readonly signal: AbortSignal }

const followed = async (kind: KnownKind, mirror: Mirror, { wake, signal }: Following): Promise<void> => {
  while (!signal.aborted) {
    try {
      await followOnce(kind, mirror, { wake, signal })
    } catch (error) {
      if (!signal.aborted && !isPassing(error)) throw error
      if (isNotServed(error) && mirror.size > 0) {
        mirror.clear()
        wake()
      }
    }
    await wait(againMilliseconds, undefined, { signal }).catch(() => undefined)
  }
}

const isPassing = (error: unknown): boolean =>
  isTrouble(error) || isNotServed(error) || isGone(error) || isNotFound(error) || isConflict(error)

const followOnce = async (
  { client, ...query }: KnownKind,
  mirror: Mirror,
  { wake, signal }: Following,
): Promise<void> => {
  const objects: KubeObject[] = []
  let resourceVersion = ''
  for await (const page of client.bound({ signal }).pages(query)) {
    objects.push(...page.objects)
    resourceVersion = page.resourceVersion
  }
  mirror.clear()
  for (const object of objects) mirror.set(keyText(keyOf(object)), object)
  wake()
  for await (const { type, object } of client.watch({ ...query, resourceVersion, signal })) {
    if (type === 'BOOKMARK') continue
    if (type === 'DELETED') mirror.delete(keyText(keyOf(object)))
    else mirror.set(keyText(keyOf(object)), object)
    wake()
  }
}

/** Runs one call at a time. All changes during a call cause one more call. */
class Rounds {
  readonly #reconcile: () => Promise<number | undefined>
  readonly #name: string
  readonly #signal: AbortSignal
  #isWanted = false
  #running: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #logged = ''

  constructor(reconcile: () => Promise<number | undefined>, name: string, signal: AbortSignal) {
    this.#reconcile = reconcile
    this.#name = name
    this.#signal = signal
  }

  wake(): void {
    this.#isWanted = true
    this.#running ??= this.#run()
  }

  async ended(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#running
    clearTimeout(this.#timer)
  }

  async #run(): Promise<void> {
    await new Promise(resolve => setImmediate(resolve))
    while (this.#isWanted && !this.#signal.aborted) {
      this.#isWanted = false
      const milliseconds = await this.#reconcile().catch(error => this.#failed(error))
      if (milliseconds !== undefined) this.#later(milliseconds)
    }
    this.#running = undefined
  }

  #later(milliseconds: number): void {
    clearTimeout(this.#timer)
    if (!this.#signal.aborted) this.#timer = setTimeout(() => this.wake(), milliseconds).unref()
  }

  /** The call is repeated. Failures that a repetition does not solve are logged once. */
  #failed(error: unknown): number {
    const text = `stand-in ${this.#name}: ${errorText(error)}`
    if (!isPassing(error) && !this.#signal.aborted && text !== this.#logged) process.emitWarning(text)
    this.#logged = text
    return againMilliseconds
  }
}

export type Writer = { readonly client: Client; readonly manager: string }

/** The change is bound to the object that was read. */
export const patched = ({ client, manager }: Writer, object: KubeObject, body: JsonMap): Promise<KubeObject> => {
  const { uid, resourceVersion } = object.metadata
  const metadata = { uid, resourceVersion, ...mapOrEmpty(body.metadata) }
  return client.patch(refOf(object), { type: 'merge', body: { ...body, metadata } }, { fieldManager: manager })
}

export const withFinalizer = async (writer: Writer, object: KubeObject, name: string): Promise<KubeObject> => {
  if (hasFinalizer(object, name)) return object
  return patched(writer, object, { metadata: { finalizers: [...(object.metadata.finalizers ?? []), name] } })
}

/** Does nothing if the object is gone. */
export const finalizerRemoved = async (writer: Writer, object: KubeObject, name: string): Promise<void> => {
  if (!hasFinalizer(object, name)) return
  const finalizers = object.metadata.finalizers?.filter(each => each !== name)
  await patched(writer, object, { metadata: { finalizers } }).catch(error => {
    if (!isNotFound(error)) throw error
  })
}

/** Keeps the other fields of the status. Sends no request if all fields are equal. */
export const statusWritten = async (
  { client, manager }: Writer,
  object: KubeObject,
  status: JsonMap,
): Promise<KubeObject> => {
  const now = mapOrEmpty(object.status)
  if (Object.entries(status).every(([field, value]) => sameJson(now[field], value))) return object
  const { uid } = object.metadata
  const options = { fieldManager: manager, subresource: 'status' }
  return client.patch(refOf(object), { type: 'merge', body: { metadata: { uid }, status } }, options)
}

export const withStandInConditions = (object: KubeObject, wanted: readonly Condition[]): JsonMap[] =>
  withConditions(conditionsOf(object), wanted, { lastUpdateTime: nowText() })
