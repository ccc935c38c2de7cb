// The keys of one function: ready, delayed or under way. Events during a call lead to one call more after it. It does no I/O, and the
// time is always handed in; dispatch.ts does the work.
import type { ClusterName } from '../../core/object.ts'
import { DueHeap, type Timed } from '../time/due-heap.ts'
import { ClusterSlots } from './cluster-slots.ts'
import { ReadyEntries } from './ready-entries.ts'
import { ReportedWrites } from './reported-writes.ts'

type Patience = { failureBaseSeconds: number; failureMaxSeconds: number }

/** What is to become of an id after its work was done. */
export type WorkResult =
  | ({ is: 'done' } & Writing)
  | ({ is: 'again'; seconds: number } & Writing)
  /**
   * It failed. Without `seconds` the delay grows with every failure. `heldSeconds`: whoever failed asked for that time, so
   * nothing shortens it, be it shorter or longer than the delay.
   */
  | { is: 'failed'; seconds?: number; heldSeconds?: number }

/** States in which the work left objects: the events that show them are no reason to work on the id again. */
type Writing = { wrote?: readonly string[] }

type Taken = { id: string; waitedSeconds: number }

type Entry = Timed & {
  id: string
  state: 'ready' | 'delayed' | 'running'
  /** An event came while it was running. */
  isDirty: boolean
  /** Events came that showed these states of objects: whether the work itself wrote them is known at its end. */
  shown: Set<string>
  failures: number
  /** An event made it ready before its delay was over. */
  isEarly: boolean
  /** When it became ready, or was taken. */
  since: number
  /** The remote cluster that the work reaches, as it was known when it became ready. */
  home: ClusterName | undefined
  /** Not to be called before this time, whatever happens. */
  heldUntil: number
}

export class Queue {
  readonly #entries = new Map<string, Entry>()
  readonly #ready = new ReadyEntries<Entry, ClusterName | undefined>()
  readonly #delayed = new DueHeap<Entry>()
  readonly #ownWrites = new ReportedWrites()
  readonly #patience: Patience
  readonly #chance: () => number
  readonly #slots: ClusterSlots
  /** Since the start; for metrics. */
  readonly counts = { adds: 0, retries: 0 }

  /** `chance` answers numbers from 0 up to 1. Without slots nothing reaches a remote cluster. */
  constructor(patience: Patience, chance: () => number = Math.random, slots: ClusterSlots = homely) {
    this.#patience = patience
    this.#chance = chance
    this.#slots = slots
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
   * Something happened: the id is to be worked on as soon as possible, once. `version`: all that happened is that an object has
   * this state, which work on the id may itself have written.
   */
  add(id: string, now: number, version?: string): void {
    if (version !== undefined && this.#ownWrites.has(id, version, now)) return
    const entry = this.#entries.get(id)
    if (entry === undefined) this.#makeReady(this.#enter(id), now)
    else if (entry.state === 'running') noteNews(entry, version)
    else if (entry.state === 'delayed') this.#hasten(entry, now)
  }

  /** The one that has been ready for longest, of those whose cluster has room for another. It counts as under way until `done` is told. */
  take(now: number): Taken | undefined {
    for (let due = this.#delayed.popDue(now); due; due = this.#delayed.popDue(now)) this.#makeReady(due, due.at)
    const entry = this.#ready.shift(home => this.#slots.hasRoom(home, now))
    if (entry === undefined) return undefined
    const waitedSeconds = Math.max(0, now - entry.since) / 1000
    this.#slots.begins(entry.home)
    entry.state = 'running'
    entry.since = now
    entry.isDirty = false
    entry.shown.clear()
    return { id: entry.id, waitedSeconds }
  }

  /** The work on a taken id ended so. */
  done(id: string, verdict: WorkResult, now: number): void {
    const entry = this.#entries.get(id)
    if (entry?.state !== 'running') return
    this.#slots.ends(entry.home, { since: entry.since, now })
    const { wrote = [] } = verdict.is === 'failed' ? {} : verdict
    this.#ownWrites.note(id, wrote, now)
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
  drop(id: string, now: number): void {
    const entry = this.#entries.get(id)
    if (entry?.state === 'running') this.#slots.ends(entry.home, { since: entry.since, now })
    this.#entries.delete(id)
  }

  /** When the next id may be taken; undefined when none waits but for work that is under way. */
  nextAt(now: number): number | undefined {
    return this.#ready.isOpen(home => this.#slots.hasRoom(home, now)) ? now : this.#delayed.peek()?.at
  }

  #isDirty({ id, isDirty, shown }: Entry, now: number): boolean {
    return isDirty || [...shown].some(version => !this.#ownWrites.has(id, version, now))
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
    entry.home = this.#slots.homeOf(entry.id)
    this.counts.adds++
    this.#ready.push(entry, entry.home)
  }

  #delay(entry: Entry, at: number): void {
    entry.state = 'delayed'
    entry.at = at
    this.#delayed.push(entry)
  }

  #delaySeconds(entry: Entry, verdict: WorkResult): number | undefined {
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

const homely = new ClusterSlots({ concurrency: 1, homeOf: () => undefined })

const newEntry = (id: string): Entry => ({
  ...{ id, state: 'delayed', isDirty: false, shown: new Set(), failures: 0, isEarly: false },
  ...{ since: 0, home: undefined, heldUntil: 0, at: 0, place: -1 },
})

/** One that events call again and again while its host is away fails each time: its patience is not to be used up in a second. */
const failuresAfter = ({ failures, isEarly }: Entry): number => (isEarly && failures > 0 ? failures : failures + 1)

/** No call writes as many objects; a remote cluster may send as many events as it likes. */
const shownMost = 1_000

/** What came while it was running. */
const noteNews = (entry: Entry, version: string | undefined): void => {
  if (version === undefined || entry.shown.size >= shownMost) entry.isDirty = true
  else entry.shown.add(version)
}
