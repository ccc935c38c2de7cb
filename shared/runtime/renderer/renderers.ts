// A host's renderers: two processes at most, whose time is shared out among Components and their namespaces (tenants).
//
// Every rendering begins in the warm renderer, one at a time. After three seconds it makes way: it moves to the second place
// (`long`), which holds one, and a new process is started for those that wait. Where the second place is taken it is broken off, and
// its call is told to come again later. So a chart of 0.1 s does not wait for a chart of 20 s.
//
// Turns go to the tenant that will have used the renderers least, as far as can be told: one that is known to be quick comes before
// one that may be as slow as the newest was. A Component whose last rendering took long begins only when the second place is free.
// One call waits for that: of those that asked, the one that comes first by the same rule. A rendering that did not end by itself counts
// as one that takes all the time there is.
import type { Rendering } from '../../render/generator.ts'
import { type PackedSize, packedSize } from './packed-bytes.ts'
import type { RendererProcess } from './process.ts'
import { type Renderer, RendererBusy, type RenderWork, type Turn } from './renderer.ts'
import { type Clock, processClock, type RenderLimits, type RenderOutcome, type Result, Run } from './run.ts'
import { Use } from './used-seconds.ts'
import { Waiting } from './waiting.ts'

type RenderersParts = {
  /** Starts a renderer; not called before something is to be rendered. */
  readonly start: () => RendererProcess
  readonly limits: RenderLimits
  readonly clock?: Clock
}

/** A rendering that takes longer makes way. */
const briefSeconds = 3

/** A call waits so long for its turn: meanwhile it takes a place of the relay that other calls could have. */
const patienceSeconds = 10

/** What a waiting call has pulled stays in memory until its turn; all of them together hold no more than this. */
const waitingBytesMost = 64 * 2 ** 20

/** When a call that is sent away comes again: the later, the more its tenant used lately; sooner when it was never tried. */
const away = { leastSeconds: 5, mostSeconds: 300, untriedSeconds: 60 }

/** Calls sent away together come again one after the other, spread evenly over one to two times the wait. */
const spread = (turn: number): number => 1 + ((turn * 0.618034) % 1)

type Job = {
  readonly work: RenderWork
  readonly turn: Turn
  readonly size: PackedSize | undefined
  readonly end: (outcome: RenderOutcome) => void
}

type Place = {
  readonly job: Job
  readonly process: RendererProcess
  readonly run: Run
  /** When its process was up: a machine that starts processes slowly makes no chart slow. */
  since: number
  /** So many of its seconds are counted as used. */
  countedSeconds: number
}

export class Renderers implements Renderer {
  readonly #start: () => RendererProcess
  readonly #limits: RenderLimits
  readonly #clock: Clock
  readonly #use: Use
  readonly #waiting: Waiting<Job>
  #warm: RendererProcess | undefined
  /** The rendering in the first place, which began less than three seconds ago. */
  #brief: Place | undefined
  /** The rendering in the second place. */
  #long: Place | undefined
  #isStopped = false
  #sentAway = 0

  constructor({ start, limits, clock = processClock }: RenderersParts) {
    this.#start = start
    this.#limits = limits
    this.#clock = clock
    this.#use = new Use(clock)
    this.#waiting = new Waiting(this.#use)
  }

  async render(work: RenderWork, turn: Turn): Promise<Rendering> {
    const { promise, resolve } = Promise.withResolvers<RenderOutcome>()
    const { artifact } = work.order
    const job = { work, turn, size: artifact && packedSize(artifact.packed), end: resolve }
    const giveUp = () => this.#sendAway(job)
    turn.signal?.addEventListener('abort', giveUp)
    try {
      this.#take(job)
      const outcome = await promise
      return outcome()
    } finally {
      turn.signal?.removeEventListener('abort', giveUp)
    }
  }

  /** Sends all jobs away and begins no more. */
  stop(): void {
    this.#isStopped = true
    const underWay = [this.#brief, this.#long].flatMap(place => place?.job ?? [])
    for (const job of [...this.#waiting.all, ...underWay]) this.#sendAway(job)
    this.#warm?.kill()
  }

  /** The bytes that all renderers hold, as far as the system tells. */
  async residentBytes(): Promise<number> {
    const alive = [this.#brief?.process, this.#long?.process, this.#warm].flatMap(process => process ?? [])
    const held = await Promise.all(alive.map(process => process.resident()))
    return held.reduce<number>((sum, bytes = 0) => sum + bytes, 0)
  }

  #take(job: Job): void {
    if (this.#isStopped || job.turn.signal?.aborted) this.#sendAway(job)
    else if (this.#mayBeBrief(job)) this.#waitOrLeave(job)
    else if (this.#hasRoomBeside(job)) this.#goOnBeside(this.#begin(job))
    else this.#waitBeside(job)
  }

  /** Whether the job is likely to be quick. Of a tenant whose renderings take long, one untried job at a time is given the chance. */
  #mayBeBrief({ turn }: Job): boolean {
    if ((this.#use.latestSeconds(turn) ?? 0) < briefSeconds) return true
    return (
      !this.#use.isKnown(turn) && !this.#waiting.isAnyOf(turn.tenant) && this.#brief?.job.turn.tenant !== turn.tenant
    )
  }

  /** A job whose turn would come too late is sent away at once, so that its call makes room for others. */
  #waitOrLeave(job: Job): void {
    if (this.#waiting.secondsBefore(job) > patienceSeconds) this.#sendAway(job)
    else this.#wait(job)
  }

  #wait(job: Job): void {
    this.#waiting.addForFirst(job, this.#sentAwayAfter(job, patienceSeconds))
    this.#next()
    this.#sendAwayBeyondRoom()
  }

  /**
   * The second place is occupied. The job there is stopped when its time is up, so one job waits for that long: of the new one and the one
   * that waits already the one whose turn comes first. The other is sent away.
   */
  #waitBeside(job: Job): void {
    const { seconds } = this.#limits
    const other = this.#waiting.forSecond
    if (other && this.#use.likelyLongDifference(job.turn, other.turn, seconds) >= 0) this.#sendAway(job)
    else {
      if (other) this.#sendAway(other)
      this.#waiting.addForSecond(job, this.#sentAwayAfter(job, seconds))
      this.#sendAwayBeyondRoom()
    }
  }

  #sentAwayAfter(job: Job, seconds: number): () => void {
    return this.#clock.after(seconds * 1_000, () => this.#sendAway(job))
  }

  #sendAwayBeyondRoom(): void {
    for (const job of this.#waiting.beyond(waitingBytesMost)) this.#sendAway(job)
  }

  #next(): void {
    const second = this.#waiting.forSecond
    if (second && !this.#long) {
      this.#waiting.remove(second)
      this.#goOnBeside(this.#begin(second))
    }
    const [first] = this.#waiting.inTurn()
    if (this.#brief || !first) return
    this.#waiting.remove(first)
    this.#brief = this.#begin(first)
  }

  #begin(job: Job): Place {
    const process = this.#warm?.isAlive ? this.#warm : this.#start()
    this.#warm = undefined
    const run = new Run(job.work, process, this.#limits)
    const place = { job, process, run, since: this.#clock.monotonic(), countedSeconds: 0 }
    let callOff = () => {}
    process.whenUp(() => {
      place.since = this.#clock.monotonic()
      callOff = this.#clock.after(briefSeconds * 1_000, () => this.#makeWay(place))
    })
    run.result(this.#clock).then(result => {
      callOff()
      this.#leave(place, result)
    })
    return place
  }

  #makeWay(place: Place): void {
    if (this.#brief !== place) return
    this.#brief = undefined
    this.#count(place)
    if (this.#hasRoomBeside(place.job)) this.#goOnBeside(place)
    else this.#sendAway(place.job, place)
    this.#next()
  }

  /** The second place is free, or its job has used more than this one by the time limit of a rendering. */
  #hasRoomBeside({ turn }: Job): boolean {
    const there = this.#long
    if (!there) return true
    return this.#use.difference(there.job.turn, turn) + this.#uncountedSeconds(there) >= this.#limits.seconds
  }

  #goOnBeside(place: Place): void {
    if (this.#long) this.#sendAway(this.#long.job, this.#long)
    this.#long = place
  }

  #sendAway(job: Job, place = [this.#brief, this.#long].find(one => one?.job === job)): void {
    const busy = new RendererBusy(this.#awaySeconds(job, place) * spread(this.#sentAway++))
    this.#waiting.remove(job)
    if (place) place.run.breakOff(busy)
    else job.end(thrown(busy))
  }

  #awaySeconds({ turn }: Job, place: Place | undefined): number {
    const used = this.#use.tenantSeconds(turn) + (place ? this.#uncountedSeconds(place) : 0)
    const most = this.#use.isKnown(turn) ? away.mostSeconds : away.untriedSeconds
    return Math.min(most, Math.max(away.leastSeconds, used))
  }

  #leave(place: Place, { outcome, isFit, isOver }: Result): void {
    this.#count(place, isOver)
    if (this.#brief === place) this.#brief = undefined
    if (this.#long === place) this.#long = undefined
    if (isFit && !this.#warm && !this.#isStopped) this.#warm = place.process
    else place.process.kill()
    place.job.end(outcome)
    this.#next()
  }

  /** As soon as it makes way and again at its end, so that whoever waits has used less than the one that goes on. */
  #count(place: Place, isOver = false): void {
    const latestSeconds = this.#secondsOf(place)
    this.#use.note(place.job.turn, { seconds: this.#uncountedSeconds(place), latestSeconds, isOver })
    place.countedSeconds = latestSeconds
  }

  #uncountedSeconds(place: Place): number {
    return this.#secondsOf(place) - place.countedSeconds
  }

  #secondsOf({ since }: Place): number {
    return (this.#clock.monotonic() - since) / 1_000
  }
}

const thrown = (error: Error) => (): never => {
  throw error
}
