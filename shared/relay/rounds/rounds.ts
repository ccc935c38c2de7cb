// Calls every object of a function, spread over some time. Objects are listed anew each time, by name only, so a round also finds what
// watches have missed.
import { evenFraction } from '../../core/even-fraction.ts'
import type { Log } from '../../core/log.ts'
import { type Key, type KubeObject, keyOf, keyText } from '../../core/objects/object.ts'
import type { Client, ListQuery } from '../../kube/client-types.ts'
import { isNotServed } from '../../kube/errors.ts'
import type { Heard } from '../queue/dispatch.ts'
import type { Reconciler } from '../reconcilers.ts'
import { createBackoff } from '../time/backoff.ts'
import { pause, type RelayClock } from '../time/clock.ts'
import { deliverLater, type LaterDeliveries } from '../time/deliver-later.ts'

type Round = {
  reconciler: Reconciler
  /** In how many seconds the key is called; undefined leaves it out. `place`: the key's number of even-fraction.ts. */
  after(key: Key, place: number): number | undefined
  /** For logs. Two rounds of one function with the same `why` call the same keys. */
  why: string
}

type RoundsOptions = {
  client: Client
  clock: RelayClock
  log: Log
  enqueue(functionName: string, key: Key, heard: Heard): void
}

export class Rounds {
  readonly #options: RoundsOptions
  readonly #client: Client
  readonly #stopped = new AbortController()
  readonly #drip: LaterDeliveries<{ name: string; key: Key }>
  /** Rounds that wait for another try. */
  readonly #waiting = new Set<string>()

  constructor(options: RoundsOptions) {
    this.#options = options
    this.#client = options.client.bound({ signal: this.#stopped.signal })
    this.#drip = deliverLater(options.clock, ({ name, key }) => options.enqueue(name, key, { isRoutine: true }))
  }

  /** Tries until all keys are listed, but gives up when a round with the same `why` already waits for its next try. */
  async run(round: Round): Promise<void> {
    const { clock, log } = this.#options
    const { signal } = this.#stopped
    const { why, reconciler } = round
    const id = `${reconciler.name} ${why}`
    const backoff = createBackoff({ baseSeconds: 1, maxSeconds: 60 })
    while (!signal.aborted) {
      try {
        return await this.#list(round)
      } catch (error) {
        if (signal.aborted || this.#waiting.has(id)) return
        log.warn({ function: reconciler.name, why, err: error }, 'listing for a round failed')
        this.#waiting.add(id)
        await pause(clock, backoff.nextMilliseconds(), signal)
        this.#waiting.delete(id)
      }
    }
  }

  /** Drops the calls that are not due yet. */
  stop(): void {
    this.#stopped.abort()
    this.#drip.stop()
  }

  async #list(round: Round): Promise<void> {
    for (const key of round.reconciler.fixed) this.#put(round, key)
    for (const { apiVersion, kind, namespace, labelSelector, fieldSelector } of round.reconciler.own) {
      const query = { apiVersion, kind, namespace, labelSelector, fieldSelector, metadataOnly: true }
      for await (const objects of this.#objects(query)) for (const object of objects) this.#put(round, keyOf(object))
    }
  }

  /** Page by page; none of a kind that is not served: once it is, its watch lists it and calls everything. */
  async *#objects(query: ListQuery): AsyncGenerator<readonly KubeObject[]> {
    try {
      for await (const { objects } of this.#client.pages(query)) yield objects
    } catch (error) {
      if (!isNotServed(error)) throw error
    }
  }

  #put({ reconciler: { name }, after }: Round, key: Key): void {
    const seconds = after(key, evenFraction(`${name} ${keyText(key)}`))
    if (seconds !== undefined) this.#drip.put({ name, key }, seconds)
  }
}
