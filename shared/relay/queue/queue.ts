// The keys of one function. Each is ready, or waits for its time (delayed), or its call is under way (running). Ready keys are of two
// kinds: there is news of them, or a round or a first list found them (routine). All events that arrive during a call lead to one more call
// after it. Pure: the caller passes the time, and dispatch.ts makes the calls.
import { DueHeap, type Timed } from '../time/due-heap.ts'
import { HomeSlots } from './home-slots.ts'
import { ReadyEntries } from './ready-entries.ts'

type Patience = { failureBaseSeconds: number; failureMaxSeconds: number }

/**
 * What happens to an id after its call. `wrote`: the states (uid and resourceVersion) that the call reported as written by itself; see
 * own-write-events.ts.
 */
export type WorkResult =
  | { is: 'done'; wrote?: readonly string[] }
  /** `isSettled`: there is nothing to do until then unless something happens. */
  | { is: 'again'; seconds: number; isSettled?: boolean; wrote?: readonly string[] }
  /**
   * It failed. Without `seconds` the delay doubles with every failure. `heldSeconds` is the host's `Retry-After`: no event calls
   * the id before that time.
   */
  | { is: 'failed'; seconds?: number; heldSeconds?: number }

/** `isQuiet`: its last call settled, and nothing was heard of it since. */
type Taken = { id: string; waitedSeconds: number; isQuiet: boolean }

type Entry = Timed & {
  id: string
  /** `routine`: it is to be called, but nothing says that anything has changed. Its delay goes on meanwhile, if it had one. */
  state: 'ready' | 'routine' | 'delayed' | 'running'
  /** What was heard of it while it was running. */
  heard: 'nothing' | 'routine' | 'news'
  failures: number
  /** An event made it ready before its delay was over. */
  isEarly: boolean
  /** Its call waits for something outside, and has given its place back. */
  isWaiting: boolean
  isQuiet: boolean
  /** When it became ready, or was taken. */
  since: number
  /** As known when the id became ready; see home-slots.ts. */
  home: string | undefined
  /** No event calls the id before this time. */
  heldUntil: number
}

export class Queue {
  readonly #entries = new Map<string, Entry>()
  readonly #ready = new ReadyEntries<Entry, string | undefined>()
  readonly #routine = new ReadyEntries<Entry, string | undefined>()
  /** How many were taken, modulo `turns`. */
  #turn = 0
  readonly #delayed = new DueHeap<Entry>()
  readonly #patience: Patience
  readonly #chance: () => number
  readonly #slots: HomeSlots
  /** Since the start; for metrics. */
  readonly counts = { adds: 0, retries: 0 }

  /** `chance`: random numbers from 0 up to 1. Without `slots` no id has a home. */
  constructor(patience: Patience, chance: () => number = Math.random, slots: HomeSlots = homely) {
    this.#patience = patience
    this.#chance = chance
    this.#slots = slots
  }

  /** How many can be taken, and are not yet. */
  get depth(): number {
    return this.#ready.size + this.#routine.size
  }

  /** How many are known at all: ready, waiting or under way. */
  get size(): number {
    return this.#entries.size
  }

  /** Seconds that each call under way has taken so far. */
  runningSeconds(now: number): number[] {
    const running = [...this.#entries.values()].filter(({ state }) => state === 'running')
    return running.map(({ since }) => (now - since) / 1000)
  }

  /**
   * There is news of the id: it is called as soon as possible, once for all that is new. `isRoutine`: there is no news, and ids with news
   * go first. Example: a relay starts and finds 12,000 objects; whichever of them somebody changes is called next.
   */
  add(id: string, now: number, { isRoutine = false }: { isRoutine?: boolean } = {}): void {
    const entry = this.#entries.get(id) ?? this.#enter(id)
    entry.isQuiet = false
    if (entry.state === 'running') entry.heard = isRoutine && entry.heard !== 'news' ? 'routine' : 'news'
    else if (entry.state === 'delayed') this.#hasten(entry, now, isRoutine)
    else if (entry.state === 'routine' && !isRoutine) this.#makeReadyEarly(entry, now)
  }

  /** The next id whose home has a free place. It is under way until `done` or `drop`. */
  take(now: number): Taken | undefined {
    for (let due = this.#delayed.popDue(now); due; due = this.#delayed.popDue(now)) this.#makeReady(due, due.at)
    const entry = this.#next(now)
    if (entry === undefined) return undefined
    this.#turn = (this.#turn + 1) % turns
    this.#delayed.remove(entry)
    const waitedSeconds = Math.max(0, now - entry.since) / 1000
    this.#slots.begins(entry.home)
    entry.state = 'running'
    entry.isWaiting = false
    entry.since = now
    entry.heard = 'nothing'
    return { id: entry.id, waitedSeconds, isQuiet: entry.isQuiet }
  }

  /** The call for a taken id waits for something outside. */
  waits(id: string): void {
    const entry = this.#entries.get(id)
    if (entry?.state !== 'running' || entry.isWaiting) return
    entry.isWaiting = true
    this.#slots.waits(entry.home)
  }

  /** The call for a taken id has ended with this result. */
  done(id: string, verdict: WorkResult, now: number): void {
    const entry = this.#entries.get(id)
    if (entry?.state !== 'running') return
    this.#slots.ends(entry.home, { ...entry, now })
    entry.failures = verdict.is === 'failed' ? failuresAfter(entry) : 0
    if (verdict.is === 'failed') this.counts.retries++
    const heldSeconds = (verdict.is === 'failed' && verdict.heldSeconds) || 0
    entry.heldUntil = now + heldSeconds * 1000
    const { heard } = entry
    const isNews = heard === 'news'
    entry.isQuiet = heard === 'nothing' && verdict.is === 'again' && verdict.isSettled === true
    const seconds = isNews ? this.#spread(heldSeconds) : this.#delaySeconds(entry, verdict)
    if (isNews && heldSeconds === 0) this.#makeReadyEarly(entry, now)
    else if (seconds === undefined) this.#entries.delete(id)
    else if (seconds <= 0) this.#makeReady(entry, now)
    else this.#delay(entry, now + seconds * 1000)
    if (heard === 'routine') this.add(id, now, { isRoutine: true })
  }

  /** Forgets a taken id, because another relay serves it now. */
  drop(id: string, now: number): void {
    const entry = this.#entries.get(id)
    if (entry?.state === 'running') this.#slots.ends(entry.home, { ...entry, now })
    this.#entries.delete(id)
  }

  /** When the next id can be taken; undefined when none waits, or only the end of a call can free one. */
  nextAt(now: number): number | undefined {
    const hasRoom = this.#slots.roomAt(now)
    return this.#ready.isOpen(hasRoom) || this.#routine.isOpen(hasRoom) ? now : this.#delayed.peek()?.at
  }

  /** One turn in four is the routine's, so that no amount of news keeps it waiting for ever. */
  #next(now: number): Entry | undefined {
    const hasRoom = this.#slots.roomAt(now)
    const inOrder = this.#turn === turns - 1 ? [this.#routine, this.#ready] : [this.#ready, this.#routine]
    return inOrder[0]?.shift(hasRoom) ?? inOrder[1]?.shift(hasRoom)
  }

  #enter(id: string): Entry {
    const entry = newEntry(id)
    this.#entries.set(id, entry)
    return entry
  }

  /** Makes a delayed id ready at once, or as early as `heldUntil` allows. */
  #hasten(entry: Entry, now: number, isRoutine: boolean): void {
    if (entry.heldUntil > now) {
      this.#delayed.remove(entry)
      this.#delay(entry, Math.min(entry.at, entry.heldUntil))
    } else if (isRoutine) this.#makeRoutine(entry, now)
    else this.#makeReadyEarly(entry, now)
  }

  #makeRoutine(entry: Entry, now: number): void {
    this.#wait(entry, 'routine', now)
    entry.isEarly = true
    this.#routine.push(entry, entry.home)
  }

  #makeReadyEarly(entry: Entry, now: number): void {
    this.#makeReady(entry, now)
    entry.isEarly = true
  }

  #makeReady(entry: Entry, now: number): void {
    this.#delayed.remove(entry)
    this.#routine.remove(entry)
    this.#wait(entry, 'ready', now)
    entry.isEarly = false
    this.#ready.push(entry, entry.home)
  }

  #wait(entry: Entry, state: 'ready' | 'routine', now: number): void {
    // Whoever waits already is not added, but passes others.
    if (entry.state !== 'routine') this.counts.adds++
    entry.state = state
    entry.since = now
    entry.home = this.#slots.homeOf(entry.id)
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

/** Of so many ids that are taken, one is the routine's. */
const turns = 4

const homely = new HomeSlots({ concurrency: 1, homeOf: () => undefined })

const newEntry = (id: string): Entry => ({
  id,
  state: 'delayed',
  heard: 'nothing',
  failures: 0,
  isEarly: false,
  isWaiting: false,
  isQuiet: false,
  since: 0,
  home: undefined,
  heldUntil: 0,
  at: 0,
  place: -1,
})

/** A failed call that an event had made early does not lengthen the delay, however many events come while the host is away. */
const failuresAfter = ({ failures, isEarly }: Entry): number => (isEarly && failures > 0 ? failures : failures + 1)
