// The queue of one function. A key is ready, delayed or running. A ready key has news (an event showed a change) or is routine (a round or
// a first list found the key, or the delay after a settled call is over). In half of all turns, keys with news and a quick last call go
// first. So they are not delayed by sixty new keys that wait for a silent registry. A routine key waits until its remote cluster is listed
// (beginning-clusters.ts). All events during a call, and during the rest after the call, lead to one more call. The queue knows which
// running calls have a place. Pure: the caller passes the time, and dispatch.ts makes the calls.
import { keptOrMade } from '../../core/memory/remembered.ts'
import { DueHeap, type Timed } from '../time/due-heap.ts'
import { HomeSlots } from './home-slots.ts'
import { ReadyEntries } from './ready-entries.ts'

type Patience = { failureBaseSeconds: number; failureMaxSeconds: number }

/** `wrote`: versions that the call wrote (own-write-events.ts). */
export type WorkResult =
  | { is: 'done'; wrote?: readonly string[] }
  /** `isSettled`: until then, only an event makes another call necessary. */
  | { is: 'again'; seconds: number; isSettled?: boolean; wrote?: readonly string[] }
  /** Without `seconds` the delay doubles with each failure. `heldSeconds`: the host's `Retry-After`. Until then, no event calls the id. */
  | { is: 'failed'; seconds?: number; heldSeconds?: number }

type Taken = { id: string; waitedSeconds: number; isQuiet: boolean }

type Entry = Timed & {
  id: string
  /** `routine`: ready, although no event reported a change. When an id with a delay is found, its delay continues. */
  state: 'ready' | 'routine' | 'delayed' | 'running'
  /** Triggers during the call. */
  arrived: 'nothing' | 'routine' | 'news'
  failures: number
  /** An event made the id ready before the end of its delay. */
  isEarly: boolean
  isQuiet: boolean
  /** The last call settled without waiting for registries or clusters, so the next call is probably quick. */
  isSteady: boolean
  since: number
  /** The begin of the last call. */
  begunAt: number
  home: string | undefined
  heldUntil: number
  /** Until this time, events are collected and start no call. */
  restsUntil: number
}

/** `free`: free places of the function. `isFor`: whether a home may have one of them. */
type Room = { now: number; free: number; isFor(home: string | undefined): boolean }

export class Queue {
  readonly #entries = new Map<string, Entry>()
  readonly #lines = { steady: newLine(), other: newLine(), routine: newLine() }
  /** Routine ids of remote clusters that are not listed yet, by cluster. They are in no line, so that the lines stay fast. */
  readonly #unlisted = new Map<string, Set<Entry>>()
  /** Routine ids by cluster, since its first lists ended. Calls for one cluster begin together, because they share reads in the host. */
  readonly #groups = new Map<string, Set<Entry>>()
  /** Until when a group waits for room for all its ids. */
  readonly #assemblies = new WeakMap<ReadonlySet<Entry>, number>()
  #turn = 0
  readonly #delayed = new DueHeap<Entry>()
  readonly #running = new Set<Entry>()
  /** Running calls, except calls that wait for a registry or a remote cluster. */
  readonly #placed = new Set<Entry>()
  readonly #patience: Patience
  readonly #chance: () => number
  readonly #slots: HomeSlots
  readonly counts = { adds: 0, retries: 0 }

  /** `chance`: random numbers in [0, 1). Default for `slots`: ids have no home. */
  constructor(patience: Patience, chance: () => number = Math.random, slots: HomeSlots = slotsWithoutHomes) {
    this.#patience = patience
    this.#chance = chance
    this.#slots = slots
  }

  get depth(): number {
    return this.#entries.size - this.#running.size - this.#delayed.size
  }

  get size(): number {
    return this.#entries.size
  }

  get placed(): number {
    return this.#placed.size
  }

  get waiting(): number {
    return this.#running.size - this.#placed.size
  }

  runningSeconds(now: number): number[] {
    return [...this.#running].map(({ since }) => (now - since) / 1000)
  }

  /**
   * Calls the id as soon as possible, once for all events until then. Ids with news come before routine ids. A call that began after
   * `foundAt` knows what a routine trigger found.
   */
  add(
    id: string,
    now: number,
    { isRoutine = false, foundAt = now }: { isRoutine?: boolean; foundAt?: number } = {},
  ): void {
    const entry = this.#entries.get(id) ?? this.#enter(id)
    if (isRoutine && entry.begunAt > foundAt) return
    entry.isQuiet = false
    if (entry.state === 'running') entry.arrived = isRoutine && entry.arrived !== 'news' ? 'routine' : 'news'
    else if (entry.state === 'delayed') this.#hasten(entry, now, isRoutine)
    else if (entry.state === 'routine' && !isRoutine) this.#makeReadyEarly(entry, now)
  }

  /** Call when a remote cluster is listed: its routine ids become ready. */
  wake(): void {
    for (const [home, entries] of this.#unlisted)
      if (this.#slots.isListed(home)) {
        this.#unlisted.delete(home)
        this.#groups.set(home, entries)
        for (const entry of entries) this.#lines.routine.push(entry, home)
      }
  }

  /** Takes the next id whose home has a free place. The id runs until `done` or `drop` is called. `free`: free places of the function. */
  take(now: number, free = Number.POSITIVE_INFINITY): Taken | undefined {
    for (let due = this.#delayed.popDue(now); due; due = this.#delayed.popDue(now)) this.#makeDue(due)
    const entry = this.#next(this.#roomAt(now, free))
    if (entry === undefined) return undefined
    this.#turn = (this.#turn + 1) % turns.length
    this.#delayed.remove(entry)
    leave(this.#groups, entry)
    const waitedSeconds = Math.max(0, now - entry.since) / 1000
    this.#slots.begins(entry.home)
    this.#running.add(entry)
    this.#placed.add(entry)
    entry.state = 'running'
    entry.since = now
    entry.begunAt = now
    entry.arrived = 'nothing'
    return { id: entry.id, waitedSeconds, isQuiet: entry.isQuiet }
  }

  /** Call when the running call waits for a registry or a remote cluster: frees its place. Returns false when the call had no place. */
  waits(id: string): boolean {
    const entry = this.#entries.get(id)
    return entry !== undefined && this.#placed.delete(entry)
  }

  done(id: string, verdict: WorkResult, now: number): void {
    const entry = this.#entries.get(id)
    if (entry?.state !== 'running') return
    const [hadPlace, isSettled] = [this.#end(entry, now), verdict.is === 'again' && verdict.isSettled === true]
    entry.isSteady = hadPlace && isSettled
    entry.failures = verdict.is === 'failed' ? failuresAfter(entry) : 0
    if (verdict.is === 'failed') this.counts.retries++
    const heldSeconds = (verdict.is === 'failed' && verdict.heldSeconds) || 0
    entry.heldUntil = now + heldSeconds * 1000
    entry.restsUntil = now + restMilliseconds(now - entry.since)
    const { arrived } = entry
    const isNews = arrived === 'news'
    entry.isQuiet = arrived === 'nothing' && isSettled
    const seconds = isNews ? this.#spread(heldSeconds) : this.#delaySeconds(entry, verdict)
    if (isNews && heldSeconds === 0) this.#makeReadyAfterRest(entry, now)
    else if (seconds === undefined) this.#entries.delete(id)
    else if (seconds <= 0) this.#makeReady(entry, now)
    else this.#delay(entry, now + seconds * 1000)
    if (arrived === 'routine') this.add(id, now, { isRoutine: true })
  }

  /** Drops a taken id that another relay serves now. */
  drop(id: string, now: number): void {
    const entry = this.#entries.get(id)
    if (entry?.state === 'running') this.#end(entry, now)
    this.#entries.delete(id)
  }

  /** Returns whether the call still had a place. */
  #end(entry: Entry, now: number): boolean {
    const hadPlace = this.#placed.delete(entry)
    this.#running.delete(entry)
    this.#slots.ends(entry.home, { since: entry.since, now, hadPlace })
    return hadPlace
  }

  #roomAt(now: number, free: number): Room {
    const placed = [...this.#placed].map(({ home }) => home)
    return { now, free, isFor: this.#slots.roomAt(now, placed) }
  }

  /** When the next id can be taken; undefined when no id waits, or when the next id must wait for the end of a call. */
  nextAt(now: number, free = Number.POSITIVE_INFINITY): number | undefined {
    const room = this.#roomAt(now, free)
    const times = [...lineNames.map(name => this.#openAt(name, room)), this.#delayed.peek()?.at]
    const known = times.filter(at => at !== undefined)
    return known.length > 0 ? Math.min(...known) : undefined
  }

  #next(room: Room): Entry | undefined {
    const open = turns[this.#turn]?.find(name => (this.#openAt(name, room) ?? Number.POSITIVE_INFINITY) <= room.now)
    return open && this.#lines[open].shift(room.isFor)
  }

  /** When an id of the line can be taken; undefined when each of them must wait for the end of a call. */
  #openAt(name: LineName, room: Room): number | undefined {
    const entry = this.#lines[name].peek(room.isFor)
    if (entry === undefined) return undefined
    return name === 'routine' ? this.#assembledAt(entry, room) : room.now
  }

  /** When there is room for all ids of the group, or at the end of its patience. */
  #assembledAt({ home }: Entry, { now, free }: Room): number {
    const group = home !== undefined && this.#groups.get(home)
    if (!group || free >= Math.min(group.size, this.#slots.freeOf(home))) return now
    return keptOrMade(this.#assemblies, group, () => now + assemblyMilliseconds)
  }

  #enter(id: string): Entry {
    const entry = newEntry(id)
    this.#entries.set(id, entry)
    return entry
  }

  /** Makes a delayed id ready: at once, or after its rest, or at `heldUntil`. */
  #hasten(entry: Entry, now: number, isRoutine: boolean): void {
    if (entry.heldUntil > now) {
      this.#delayed.remove(entry)
      this.#delay(entry, Math.min(entry.at, entry.heldUntil))
    } else if (isRoutine) {
      this.#makeRoutine(entry, now)
      entry.isEarly = true
    } else this.#makeReadyAfterRest(entry, now)
  }

  #makeReadyAfterRest(entry: Entry, now: number): void {
    const { restsUntil, state, at } = entry
    if (restsUntil <= now) this.#makeReadyEarly(entry, now)
    else {
      this.#delayed.remove(entry)
      this.#delay(entry, state === 'delayed' ? Math.min(at, restsUntil) : restsUntil)
      entry.isEarly = true
    }
  }

  /** A settled call needs no repetition before an event. So its id is routine, and ids that were never called come first. */
  #makeDue(entry: Entry): void {
    if (entry.isQuiet) this.#makeRoutine(entry, entry.at)
    else this.#makeReady(entry, entry.at)
  }

  #makeRoutine(entry: Entry, now: number): void {
    this.#wait(entry, 'routine', now)
    const { home } = entry
    if (home === undefined || this.#slots.isListed(home)) this.#lines.routine.push(entry, home)
    else keptOrMade(this.#unlisted, home, () => new Set()).add(entry)
  }

  #makeReadyEarly(entry: Entry, now: number): void {
    this.#makeReady(entry, now)
    entry.isEarly = true
  }

  #makeReady(entry: Entry, now: number): void {
    this.#delayed.remove(entry)
    this.#lines.routine.remove(entry)
    leave(this.#unlisted, entry)
    leave(this.#groups, entry)
    // After its rest, a delayed id is still early.
    entry.isEarly &&= entry.state === 'delayed'
    this.#wait(entry, 'ready', now)
    this.#lines[entry.isSteady ? 'steady' : 'other'].push(entry, entry.home)
  }

  #wait(entry: Entry, state: 'ready' | 'routine', now: number): void {
    // A routine id was already counted. It only moves forward in the queue.
    if (entry.state !== 'routine') this.counts.adds++
    entry.state = state
    entry.since = now
    entry.home = this.#slots.homeOf(entry.id)
  }

  #delay(entry: Entry, at: number): void {
    entry.state = 'delayed'
    entry.isEarly = false
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

/** The longest time for which free places wait for a group. */
const assemblyMilliseconds = 100

const newLine = () => new ReadyEntries<Entry, string | undefined>()

/** No set is empty, because thousands of clusters may have been in the map. */
const leave = (entriesByHome: Map<string, Set<Entry>>, entry: Entry): void => {
  const { home = '' } = entry
  const entries = entriesByHome.get(home)
  if (entries?.delete(entry) && entries.size === 0) entriesByHome.delete(home)
}

const lineNames = ['steady', 'other', 'routine'] as const
type LineName = (typeof lineNames)[number]

/** The order of lines in each turn. Each line is first in at least one turn, so that no line waits forever. */
const turns: readonly (readonly LineName[])[] = [
  ['steady', 'other', 'routine'],
  ['steady', 'other', 'routine'],
  ['other', 'steady', 'routine'],
  ['routine', 'steady', 'other'],
]

/**
 * The rest of an id after its call. A longer call gets a longer rest, because its repetition costs more. Example: ten Manifests of a Kyma
 * become Ready within half a second. A call of 60 ms for the Kyma then rests for 240 ms, and 3 calls take place instead of 8.
 */
const restMilliseconds = (callMilliseconds: number): number => Math.min(4 * callMilliseconds, 250)

const slotsWithoutHomes = new HomeSlots({ concurrency: 1, homeOf: () => undefined })

const newEntry = (id: string): Entry => ({
  id,
  state: 'delayed',
  arrived: 'nothing',
  failures: 0,
  isEarly: false,
  isQuiet: false,
  isSteady: false,
  since: 0,
  begunAt: Number.NEGATIVE_INFINITY,
  home: undefined,
  heldUntil: 0,
  restsUntil: 0,
  at: 0,
  place: -1,
})

/** A failed call that an event started early does not lengthen the delay, so that many events during a host's outage cause no long delay. */
const failuresAfter = ({ failures, isEarly }: Entry): number => (isEarly && failures > 0 ? failures : failures + 1)
