// The work of one lane: which ids are ready, which wait for their time, which are under way. Pure but for what it
// holds; the time is always handed in. Who performs the work, and how much at once, is dispatch.ts's matter.
import { Fifo } from './fifo.ts'
import { Heap, type Timed } from './heap.ts'
import { KnownStates } from './known-states.ts'

export type Patience = { failureBaseSeconds: number; failureMaxSeconds: number }

/** What is to become of an id after its work was done. */
export type Verdict =
  | ({ is: 'done' } & Knowing)
  | ({ is: 'again'; seconds: number } & Knowing)
  /**
   * It failed. Without `seconds` the delay grows with every failure. `heldSeconds`: whoever failed asked for that time, so
   * nothing shortens it, be it shorter or longer than the delay.
   */
  | { is: 'failed'; seconds?: number; heldSeconds?: number }

/** States of objects that it has seen to: they are no reason to work on the id. */
type Knowing = { knows?: readonly string[] }

export type Taken = { id: string; waitedSeconds: number }

type Entry = Timed & {
  id: string
  state: 'ready' | 'delayed' | 'running'
  /** An event came while it was running. */
  isDirty: boolean
  /** Events came that showed these states of objects: whether the work knows them is said at its end. */
  shown: Set<string>
  failures: number
  /** An event made it ready before its delay was over. */
  isEarly: boolean
  /** When it became ready. */
  since: number
  /** Not to be called before this time, whatever happens. */
  heldUntil: number
}

export class Queue {
  readonly #entries = new Map<string, Entry>()
  readonly #ready = new Fifo<Entry>()
  readonly #delayed = new Heap<Entry>()
  readonly #known = new KnownStates()
  readonly #patience: Patience
  readonly #chance: () => number
  /** Since the start; for metrics. */
  readonly counts = { adds: 0, retries: 0 }

  /** `chance` answers numbers from 0 up to 1. */
  constructor(patience: Patience, chance: () => number = Math.random) {
    this.#patience = patience
    this.#chance = chance
  }

  /** How many are ready and not yet taken. */
  get depth(): number {
    return this.#ready.size
  }

  /** How many are known at all: ready, waiting or under way. */
  get size(): number {
    return this.#entries.size
  }

  /**
   * Something happened: the id is to be worked on as soon as possible, once. `version`: it is no more than this state of an
   * object, which work on the id may know already.
   */
  add(id: string, now: number, version?: string): void {
    if (version !== undefined && this.#known.has(id, version, now)) return
    const entry = this.#entries.get(id)
    if (entry === undefined) this.#makeReady(this.#enter(id), now)
    else if (entry.state === 'running') noteNews(entry, version)
    else if (entry.state === 'delayed') this.#hasten(entry, now)
  }

  /** The one that has been ready for longest. It counts as under way until `done` is told. */
  take(now: number): Taken | undefined {
    for (let due = this.#delayed.popDue(now); due; due = this.#delayed.popDue(now)) this.#makeReady(due, due.at)
    const entry = this.#ready.shift()
    if (entry === undefined) return undefined
    entry.state = 'running'
    entry.isDirty = false
    entry.shown.clear()
    return { id: entry.id, waitedSeconds: Math.max(0, now - entry.since) / 1000 }
  }

  /** The work on a taken id ended so. */
  done(id: string, verdict: Verdict, now: number): void {
    const entry = this.#entries.get(id)
    if (entry?.state !== 'running') return
    const { knows = [] } = verdict.is === 'failed' ? {} : verdict
    this.#known.note(id, knows, now)
    entry.failures = verdict.is === 'failed' ? failuresAfter(entry) : 0
    if (verdict.is === 'failed') this.counts.retries++
    const heldSeconds = (verdict.is === 'failed' && verdict.heldSeconds) || 0
    entry.heldUntil = now + heldSeconds * 1000
    const isDirty = this.#isDirty(entry, now)
    const seconds = isDirty ? this.#spread(heldSeconds) : this.#delaySeconds(entry, verdict)
    if (isDirty && heldSeconds === 0) this.#makeReadyEarly(entry, now)
    else if (seconds === undefined) this.#entries.delete(id)
    else if (seconds <= 0) this.#makeReady(entry, now)
    else this.#delay(entry, now + seconds * 1000)
  }

  /** A taken id is not ours to work on: it is forgotten. */
  drop(id: string): void {
    this.#entries.delete(id)
  }

  /** When the next id is or becomes ready; undefined when none waits. */
  nextAt(now: number): number | undefined {
    return this.#ready.size > 0 ? now : this.#delayed.peek()?.at
  }

  #isDirty({ id, isDirty, shown }: Entry, now: number): boolean {
    return isDirty || [...shown].some(version => !this.#known.has(id, version, now))
  }

  #enter(id: string): Entry {
    const entry = newEntry(id)
    this.#entries.set(id, entry)
    return entry
  }

  /** As far as it may be. */
  #hasten(entry: Entry, now: number): void {
    this.#delayed.remove(entry)
    if (entry.heldUntil <= now) this.#makeReadyEarly(entry, now)
    else this.#delay(entry, Math.min(entry.at, entry.heldUntil))
  }

  #makeReadyEarly(entry: Entry, now: number): void {
    this.#makeReady(entry, now)
    entry.isEarly = true
  }

  #makeReady(entry: Entry, now: number): void {
    this.#delayed.remove(entry)
    entry.state = 'ready'
    entry.isEarly = false
    entry.since = now
    this.counts.adds++
    this.#ready.push(entry)
  }

  #delay(entry: Entry, at: number): void {
    entry.state = 'delayed'
    entry.at = at
    this.#delayed.push(entry)
  }

  #delaySeconds(entry: Entry, verdict: Verdict): number | undefined {
    if (verdict.is === 'done') return undefined
    if (verdict.is === 'again') return verdict.seconds
    const { seconds = this.#backoffSeconds(entry.failures), heldSeconds = 0 } = verdict
    return this.#spread(Math.max(seconds, heldSeconds))
  }

  #spread(seconds: number): number {
    return seconds * (1 + this.#chance() / 10)
  }

  #backoffSeconds(failures: number): number {
    const { failureBaseSeconds, failureMaxSeconds } = this.#patience
    return Math.min(failureBaseSeconds * 2 ** (failures - 1), failureMaxSeconds)
  }
}

const newEntry = (id: string): Entry => ({
  ...{ id, state: 'delayed', isDirty: false, shown: new Set(), failures: 0, isEarly: false },
  ...{ since: 0, heldUntil: 0, at: 0, place: -1 },
})

/** One that events call again and again while its host is away fails each time: its patience is not to be used up in a second. */
const failuresAfter = ({ failures, isEarly }: Entry): number => (isEarly && failures > 0 ? failures : failures + 1)

/** What came while it was running. */
const noteNews = (entry: Entry, version: string | undefined): void => {
  if (version === undefined) entry.isDirty = true
  else entry.shown.add(version)
}
