// Runs stand-ins for operators that a Garden needs, such as druid, the resource manager and a load balancer. Stand-ins are for tests and
// trials, never for production. A stand-in watches some kinds, and reads all their objects again after any change. So a missed or repeated
// call has no effect.
//
//   const stop = runStandIn(loadBalancer(client))
//   await stop()
import { setTimeout as wait } from 'node:timers/promises'
import { type GroupVersionKind, type KubeObject, keyOf, keyText, type ObjectRef } from '../../core/objects/object.ts'
import { errorText } from '../../core/text/error-text.ts'
import type { Client } from '../../kube/client-types.ts'
import { isConflict, isGone, isNotFound, isNotServed, isTrouble } from '../../kube/errors.ts'

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
