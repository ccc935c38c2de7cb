// Stands in front of a queue and skips events that only show what a call itself wrote. A reply reports the states (uid and
// resourceVersion) that its call wrote and has seen since (shared/runtime/own-writes.ts). Example: the call for key a reported rv=12; for
// ten seconds an event rv=12 is skipped for a, an event rv=13 calls it. What came during the call is judged when the reply is there. A lost
// entry costs one call.

const keptMilliseconds = 10_000
/** More states than any call writes; a remote cluster may send any number of events. */
const shownMost = 1_000

export class OwnWriteEvents {
  /** Until when each reported state is kept; the oldest first, because all are kept equally long. */
  readonly #until = new Map<string, number>()
  /** By id whose call is under way: the states that events have shown since it began. */
  readonly #shown = new Map<string, Set<string>>()
  readonly #most: number

  /** No more than `most` reported states are kept at once. */
  constructor(most = 50_000) {
    this.#most = most
  }

  get size(): number {
    return this.#until.size
  }

  /** Whether the event calls the id, as far as is known now. `version`: the state that the event shows; undefined if it is no watch event. */
  isNews(id: string, version: string | undefined, now: number): boolean {
    if (version === undefined) return true
    if (this.#isReported(id, version, now)) return false
    const shown = this.#shown.get(id)
    if (!shown || shown.size >= shownMost) return true
    shown.add(version)
    return false
  }

  callBegins(id: string): void {
    this.#shown.set(id, new Set())
  }

  /** The call for the id reported these states. Whether an event since its begin showed another. */
  callEnds(id: string, wrote: readonly string[], now: number): boolean {
    const shown = this.#shown.get(id) ?? []
    this.#shown.delete(id)
    this.#note(id, wrote, now)
    return [...shown].some(version => !this.#isReported(id, version, now))
  }

  #isReported(id: string, version: string, now: number): boolean {
    return now < (this.#until.get(keyOf(id, version)) ?? 0)
  }

  #note(id: string, versions: readonly string[], now: number): void {
    for (const version of versions) {
      const key = keyOf(id, version)
      this.#until.delete(key)
      this.#until.set(key, now + keptMilliseconds)
    }
    this.#forgetOld(now)
  }

  #forgetOld(now: number): void {
    for (const [key, until] of this.#until) {
      if (now < until && this.#until.size <= this.#most) return
      this.#until.delete(key)
    }
  }
}

const keyOf = (id: string, version: string): string => `${id} ${version}`
