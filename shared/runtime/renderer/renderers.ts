// A host's renderers. One is kept warm, and every rendering begins in it. What takes long makes way: it goes on beside, where
// there is room for one, and the next begin in a renderer of their own. So there are two at most, and who is quick does not
// wait for who is slow. Turns go to those who have used the renderers least.
import type { Rendering } from '../../render/generator.ts'
import type { RendererProcess } from './process.ts'
import { type Renderer, RendererBusy, type RenderWork, type Turn } from './renderer.ts'
import { type Clock, type RenderLimits, type Result, Run } from './run.ts'
import { Use } from './use.ts'

export type RenderersParts = {
  /** Starts a renderer, for the first time when something is to be rendered. */
  readonly start: () => RendererProcess
  readonly limits: RenderLimits
  readonly clock?: Clock
}

/** Who takes longer makes way. */
const briefSeconds = 3

/** So long a call waits for its turn: whoever called has others to call. */
const patienceSeconds = 10

/** Who is sent away comes again after so long: the more it has used lately, the later. */
const away = { leastSeconds: 5, mostSeconds: 600 }

type Job = {
  readonly work: RenderWork
  readonly turn: Turn
  readonly end: (outcome: () => Rendering) => void
}

type Place = { readonly job: Job; readonly process: RendererProcess; readonly run: Run; readonly since: number }

export class Renderers implements Renderer {
  readonly #start: () => RendererProcess
  readonly #limits: RenderLimits
  readonly #clock: Clock
  readonly #use: Use
  /** Each with what ends its patience early. */
  readonly #waiting = new Map<Job, () => void>()
  #warm: RendererProcess | undefined
  /** Has begun lately. */
  #brief: Place | undefined
  /** Takes long. */
  #long: Place | undefined
  #isStopped = false

  constructor({ start, limits, clock = systemClock }: RenderersParts) {
    this.#start = start
    this.#limits = limits
    this.#clock = clock
    this.#use = new Use(clock)
  }

  async render(work: RenderWork, turn: Turn): Promise<Rendering> {
    const { promise, resolve } = Promise.withResolvers<() => Rendering>()
    const job = { work, turn, end: resolve }
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

  /** Whoever is rendered for is sent away, and nothing is begun any more. */
  stop(): void {
    this.#isStopped = true
    const underWay = [this.#brief, this.#long].flatMap(place => place?.job ?? [])
    for (const job of [...this.#waiting.keys(), ...underWay]) this.#sendAway(job)
    this.#warm?.kill()
  }

  /** What they hold in memory, as far as the system tells. */
  async residentBytes(): Promise<number> {
    const alive = [this.#brief?.process, this.#long?.process, this.#warm].flatMap(process => process ?? [])
    const held = await Promise.all(alive.map(process => process.resident()))
    return held.reduce<number>((sum, bytes = 0) => sum + bytes, 0)
  }

  #take(job: Job): void {
    if (this.#isStopped || job.turn.signal?.aborted) this.#sendAway(job)
    else if (this.#use.latestSeconds(job.turn) < briefSeconds) this.#wait(job)
    else if (this.#hasRoomBeside(job)) this.#goOnBeside(this.#begin(job))
    else this.#sendAway(job)
  }

  #wait(job: Job): void {
    this.#waiting.set(
      job,
      this.#clock.after(patienceSeconds * 1_000, () => this.#sendAway(job)),
    )
    this.#next()
  }

  #next(): void {
    const [first] = [...this.#waiting.keys()].sort((one, other) => this.#use.difference(one.turn, other.turn))
    if (this.#brief || !first) return
    this.#noLongerWaits(first)
    this.#brief = this.#begin(first)
  }

  #noLongerWaits(job: Job): void {
    this.#waiting.get(job)?.()
    this.#waiting.delete(job)
  }

  #begin(job: Job): Place {
    const process = this.#warm?.isAlive ? this.#warm : this.#start()
    this.#warm = undefined
    const run = new Run(job.work, process, this.#limits)
    const place = { job, process, run, since: this.#clock.monotonic() }
    const callOff = this.#clock.after(briefSeconds * 1_000, () => this.#makeWay(place))
    run.result(this.#clock).then(result => {
      callOff()
      this.#leave(place, result)
    })
    return place
  }

  #makeWay(place: Place): void {
    if (this.#brief !== place) return
    this.#brief = undefined
    if (this.#hasRoomBeside(place.job)) this.#goOnBeside(place)
    else this.#sendAway(place.job, place)
    this.#next()
  }

  /** Also where somebody is who has used so much more that it is the other's turn. */
  #hasRoomBeside({ turn }: Job): boolean {
    const there = this.#long
    if (!there) return true
    return this.#use.difference(there.job.turn, turn) + this.#secondsOf(there) >= this.#limits.seconds
  }

  #goOnBeside(place: Place): void {
    if (this.#long) this.#sendAway(this.#long.job, this.#long)
    this.#long = place
  }

  #sendAway(job: Job, place = [this.#brief, this.#long].find(one => one?.job === job)): void {
    const { leastSeconds, mostSeconds } = away
    const used = this.#use.seconds(job.turn) + (place ? this.#secondsOf(place) : 0)
    const busy = new RendererBusy(Math.min(mostSeconds, Math.max(leastSeconds, used)))
    this.#noLongerWaits(job)
    if (place) place.run.breakOff(busy)
    else job.end(thrown(busy))
  }

  #leave(place: Place, { outcome, isFit }: Result): void {
    this.#use.note(place.job.turn, this.#secondsOf(place))
    if (this.#brief === place) this.#brief = undefined
    if (this.#long === place) this.#long = undefined
    if (isFit && !this.#warm && !this.#isStopped) this.#warm = place.process
    else place.process.kill()
    place.job.end(outcome)
    this.#next()
  }

  #secondsOf({ since }: Place): number {
    return (this.#clock.monotonic() - since) / 1_000
  }
}

const thrown = (error: Error) => (): never => {
  throw error
}

const systemClock: Clock = {
  monotonic: () => performance.now(),
  after: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds)
    return () => clearTimeout(timer)
  },
}
