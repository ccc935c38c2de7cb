// Skips events that only show a call's own writes. A reply reports the versions (uid and resourceVersion) that its call wrote and read back
// (shared/runtime/own-writes.ts). Example: the call for key `a` reported rv=12. For ten seconds, an event rv=12 is skipped for `a`, but an
// event rv=13 calls `a`. Events during the call are compared after its reply. A lost entry costs one call.

const keptMilliseconds = 10_000
/** Limit of versions per running call, because a remote cluster may send any number of events. No call writes as many versions. */
const shownMost = 1_000

export class OwnWriteEvents {
  /** Expiry of each reported version, oldest first, because all versions are kept for the same time. */
  readonly #until = new Map<string, number>()
  /** For ids with a running call: the versions in events since its start. */
  readonly #shown = new Map<string, Set<string>>()
  readonly #most: number

  /** `most`: limit of reported versions. */
  constructor(most = 50_000) {
    this.#most = most
  }

  get size(): number {
    return this.#until.size
  }

  /** Whether the trigger should call the id. `version`: the version in the event; undefined for other triggers. */
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

  /** `wrote`: the versions that the call reported. Returns whether an event since its start showed another version. */
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
