// A host's renderers: a pool of at most two processes, shared fairly between namespaces (tenants).
//
// A free place goes to the namespace whose last rendering started longest ago, and in this namespace to the Component whose last rendering
// started longest ago. A rendering with more than three seconds of CPU time is slow, and so is the next rendering of the same Component.
// All slow ones share one place, and at most one call waits for this place. So a chart of 0.1 s does not wait for a chart of 20 s. A killed
// renderer is replaced at once, so that the next rendering does not wait for a process to start.
import { BoundedCache } from '../../core/memory/bounded-cache.ts'
import type { Rendering } from '../../render/generator.ts'
import type { RendererProcess } from './process.ts'
import {
  bytesTogether,
  type PackedSize,
  packedSize,
  type Renderer,
  RendererBusy,
  type RenderWork,
  type Turn,
} from './renderer.ts'
import { type Clock, processClock, type RenderLimits, type RenderOutcome, type Result, Run } from './run.ts'

type RenderersParts = {
  /** Starts a renderer. Not called before the first rendering. */
  readonly start: () => RendererProcess
  readonly limits: RenderLimits
  readonly clock?: Clock
}

const places = 2

/** A rendering with more CPU time is slow. */
const briefSeconds = 3

/** How long a call waits for a free renderer. Meanwhile the call occupies the relay. A slow call waits as long as a rendering may take. */
const patienceSeconds = 10

/** A rejected call is repeated after this time. A rejected slow call is repeated after the time that a rendering may take. */
const awaySeconds = 5

/** Limit for all artifacts of waiting calls, which stay in memory. */
const waitingBytesMost = 64 * 2 ** 20

/** The oldest entries beyond this number are dropped. A dropped entry can change the order of renderings, but not their results. */
const rememberedMost = 10_000

/** Spreads the repeats of rejected calls evenly over one to two times the wait. */
const spread = (count: number): number => 1 + ((count * 0.618034) % 1)

type Job = {
  readonly work: RenderWork
  readonly turn: Turn
  /** The number of the turn at which the job arrived. */
  readonly came: number
  readonly size: PackedSize | undefined
  readonly end: (outcome: RenderOutcome) => void
}

type Place = { readonly process: RendererProcess; readonly run: Run; isSlow: boolean }

export class Renderers implements Renderer {
  readonly #start: () => RendererProcess
  readonly #limits: RenderLimits
  readonly #clock: Clock
  /** Waiting jobs. Each value is a function that cancels the timer of the job. */
  readonly #waiting = new Map<Job, () => void>()
  readonly #running = new Map<Job, Place>()
  #idle: RendererProcess | undefined
  #turns = 0
  /** The last turn by namespace and by Component. */
  readonly #begun = new BoundedCache<string, number>(rememberedMost)
  readonly #slow = new BoundedCache<string, boolean>(rememberedMost)
  #isStopped = false
  #sentAway = 0

  constructor({ start, limits, clock = processClock }: RenderersParts) {
    this.#start = start
    this.#limits = limits
    this.#clock = clock
  }

  async render(work: RenderWork, turn: Turn): Promise<Rendering> {
    const { promise, resolve } = Promise.withResolvers<RenderOutcome>()
    const { artifact } = work.order
    const job = { work, turn, came: ++this.#turns, size: artifact && packedSize(artifact.packed), end: resolve }
    const giveUp = () => this.#sendAway(job)
    turn.signal?.addEventListener('abort', giveUp)
    try {
      if (this.#isStopped || turn.signal?.aborted) giveUp()
      else this.#wait(job)
      const outcome = await promise
      return outcome()
    } finally {
      turn.signal?.removeEventListener('abort', giveUp)
    }
  }

  stop(): void {
    this.#isStopped = true
    for (const job of [...this.#waiting.keys(), ...this.#running.keys()]) this.#sendAway(job)
    this.#idle?.kill()
  }

  async residentBytes(): Promise<number> {
    const running = [...this.#running.values()].map(({ process }) => process)
    const held = await Promise.all([...running, ...(this.#idle ? [this.#idle] : [])].map(one => one.resident()))
    return held.reduce<number>((sum, bytes = 0) => sum + bytes, 0)
  }

  #wait(job: Job): void {
    const seconds = this.#isSlow(job) ? this.#limits.seconds : patienceSeconds
    this.#waiting.set(
      job,
      this.#clock.after(seconds * 1_000, () => this.#sendAway(job)),
    )
    this.#next()
    this.#sendAwayBeyondRoom()
  }

  /** Rejects waiting renderings: keeps one slow rendering, and other renderings in the order of turns up to the limit of bytes. */
  #sendAwayBeyondRoom(): void {
    for (const job of this.#inTurn()
      .filter(job => this.#isSlow(job))
      .slice(1))
      this.#sendAway(job)
    const staying = this.#inTurn()
    while (bytesTogether(staying.flatMap(({ size = [] }) => size)) > waitingBytesMost)
      for (const job of staying.splice(-1)) this.#sendAway(job)
  }

  #inTurn(): Job[] {
    const tenantTurn = ({ turn, came }: Job) => this.#begun.get(turn.tenant) ?? came
    const ownTurn = ({ turn }: Job) => this.#begun.get(turn.id) ?? 0
    return [...this.#waiting.keys()].sort(
      (one, other) => tenantTurn(one) - tenantTurn(other) || ownTurn(one) - ownTurn(other),
    )
  }

  /** A new Component counts as slow if the last rendering of its namespace was slow. */
  #isSlow({ turn }: Job): boolean {
    return this.#slow.get(turn.id) ?? this.#slow.get(turn.tenant) ?? false
  }

  #next(): void {
    const job = this.#inTurn().find(job => this.#hasPlace(job))
    if (!job) return
    this.#begin(job)
    this.#next()
  }

  #hasPlace(job: Job): boolean {
    return this.#running.size < places && !(this.#isSlow(job) && this.#isSlowRunningBeside(job))
  }

  #isSlowRunningBeside(job: Job): boolean {
    return [...this.#running.keys()].some(other => other !== job && this.#isSlow(other))
  }

  #begin(job: Job): void {
    this.#stopWaiting(job)
    const process = this.#idle?.isAlive ? this.#idle : this.#start()
    this.#idle = undefined
    for (const who of [job.turn.tenant, job.turn.id]) this.#begun.set(who, ++this.#turns)
    const run = new Run(job.work, process, { limits: this.#limits, clock: this.#clock })
    const place = { process, run, isSlow: false }
    this.#running.set(job, place)
    run.whenComputed(briefSeconds, () => this.#slowDown(job, place))
    run.result().then(result => this.#leave(job, place, result))
  }

  /** Marks a running rendering as slow. If another slow rendering runs, this rendering is aborted and repeated later. */
  #slowDown(job: Job, place: Place): void {
    place.isSlow = true
    this.#note(job, true)
    if (this.#isSlowRunningBeside(job)) this.#sendAway(job)
    this.#sendAwayBeyondRoom()
  }

  #note({ turn }: Job, isSlow: boolean): void {
    for (const who of [turn.tenant, turn.id]) this.#slow.set(who, isSlow)
  }

  #sendAway(job: Job): void {
    const seconds = this.#isSlow(job) ? this.#limits.seconds : awaySeconds
    const busy = new RendererBusy(seconds * spread(this.#sentAway++))
    this.#stopWaiting(job)
    const place = this.#running.get(job)
    if (place) place.run.breakOff(busy)
    else job.end(() => Promise.reject(busy))
  }

  #stopWaiting(job: Job): void {
    this.#waiting.get(job)?.()
    this.#waiting.delete(job)
  }

  #leave(job: Job, { process, isSlow }: Place, { outcome, isFit, isOver }: Result): void {
    this.#running.delete(job)
    if (isOver) this.#note(job, isSlow)
    if (!isFit || this.#idle?.isAlive || this.#isStopped) process.kill()
    else this.#idle = process
    if (!this.#isStopped && !this.#idle?.isAlive) this.#idle = this.#start()
    job.end(outcome)
    this.#next()
  }
}
