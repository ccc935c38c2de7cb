// A host's renderers: a pool of two processes at most, whose places go round the namespaces (tenants).
//
// A free place goes to the namespace whose last rendering began longest ago, and in the namespace to the Component whose last rendering
// began longest ago. A rendering that computes for more than three seconds is slow, and so is the next one of the same Component. Slow
// renderings hold one place together, and one call at most waits for that place, so a chart of 0.1 s does not wait for a chart of 20 s.
// A renderer that was killed is replaced at once, so the next rendering does not wait for a process to start.
import { BoundedCache } from '../../core/memory/bounded-cache.ts'
import type { Rendering } from '../../render/generator.ts'
import { bytesTogether, type PackedSize, packedSize } from './packed-bytes.ts'
import type { RendererProcess } from './process.ts'
import { type Renderer, RendererBusy, type RenderWork, type Turn } from './renderer.ts'
import { type Clock, processClock, type RenderLimits, type RenderOutcome, type Result, Run } from './run.ts'

type RenderersParts = {
  /** Starts a renderer; not called before something is to be rendered. */
  readonly start: () => RendererProcess
  readonly limits: RenderLimits
  readonly clock?: Clock
}

const places = 2

/** A rendering that computes for longer is slow. */
const briefSeconds = 3

/** A call waits so long for a place: meanwhile it takes a place of the relay that other calls could have. A slow one waits a deadline. */
const patienceSeconds = 10

/** A call that is sent away comes again after so long; a slow one after a deadline. */
const awaySeconds = 5

/** What a waiting call has pulled stays in memory until its turn; all of them together hold no more than this. */
const waitingBytesMost = 64 * 2 ** 20

/** Beyond so many, the namespaces and Components that were rendered longest ago are forgotten: their turns change, but no answer does. */
const rememberedMost = 10_000

/** Calls sent away together come again one after the other, spread evenly over one to two times the wait. */
const spread = (count: number): number => 1 + ((count * 0.618034) % 1)

type Job = {
  readonly work: RenderWork
  readonly turn: Turn
  /** When it came, in turns. */
  readonly came: number
  readonly size: PackedSize | undefined
  readonly end: (outcome: RenderOutcome) => void
}

type Place = { readonly process: RendererProcess; readonly run: Run; isSlow: boolean }

export class Renderers implements Renderer {
  readonly #start: () => RendererProcess
  readonly #limits: RenderLimits
  readonly #clock: Clock
  /** Each with the function that cancels its timer. */
  readonly #waiting = new Map<Job, () => void>()
  readonly #running = new Map<Job, Place>()
  #idle: RendererProcess | undefined
  #turns = 0
  /** By namespace and by Component: the turn in which the last rendering began, and whether it was slow. */
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

  /** Sends all jobs away and begins no more. */
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

  /** Of those that wait, one slow rendering stays, and as many others as hold no more bytes than they may, the first in turn. */
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

  /** A Component that was never rendered is as slow as the last rendering of its namespace. */
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

  /** A rendering has turned out to be slow: where another slow one runs, this one is broken off and comes again. */
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
