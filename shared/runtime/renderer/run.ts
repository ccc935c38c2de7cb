// One rendering in one renderer. The rendering ends with an answer, at a limit, or when it is aborted.
import { RenderError, type Rendering } from '../../render/generator.ts'
import type { Order, Recipe } from '../../render/order.ts'
import { RendererEnded, type RendererProcess, type Reply } from './process.ts'
import { type RenderWork, renderingIn, requestOf } from './renderer.ts'

/** `seconds`: CPU time, so that a chart does not fail because the machine is busy. */
export type RenderLimits = { readonly seconds: number; readonly megabytes: number }

/** The wall clock limit in multiples of `seconds`. */
const wallTimes = 10

/** Minimum time between two checks of the CPU time. */
const lookMilliseconds = 100

/** Times in milliseconds. `after` runs once; the returned function cancels it. */
export type Clock = { monotonic(): number; after(milliseconds: number, run: () => void): () => void }

export const processClock: Clock = {
  monotonic: () => performance.now(),
  after: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds)
    return () => clearTimeout(timer)
  },
}

/** `isFit`: whether the renderer can be used again. `isOver`: whether the rendering ended without being aborted. */
export type Result = { readonly outcome: RenderOutcome; readonly isFit: boolean; readonly isOver: boolean }

export type RenderOutcome = () => Rendering | Promise<Rendering>

export class Run {
  readonly #work: RenderWork
  readonly #process: RendererProcess
  readonly #limits: RenderLimits
  readonly #clock: Clock
  #file: string | undefined
  #brokenOffFor: Error | undefined
  #isOver = false
  /** Functions that cancel the timers of CPU time checks. */
  readonly #looks = new Set<() => void>()

  constructor(work: RenderWork, process: RendererProcess, { limits, clock }: { limits: RenderLimits; clock: Clock }) {
    this.#work = work
    this.#process = process
    this.#limits = limits
    this.#clock = clock
  }

  /** Always resolves. `outcome` returns the rendering, or throws RenderError or the reason of `breakOff`. */
  async result(): Promise<Result> {
    const { seconds, megabytes } = this.#limits
    const end = (what: string) => () => this.breakOff(this.#fault(what))
    const wallSeconds = wallTimes * seconds
    const callOff = this.#clock.after(wallSeconds * 1_000, end(`took longer than ${wallSeconds} s on a busy machine`))
    this.whenComputed(seconds, end(`took longer than ${seconds} s`))
    try {
      const { answer, bytes } = await this.#answered()
      return { outcome: () => renderingIn(answer), isFit: bytes < (megabytes * 2 ** 20) / 2, isOver: true }
    } catch (error) {
      return { outcome: () => this.#failed(error), isFit: false, isOver: this.#brokenOffFor === undefined }
    } finally {
      callOff()
      this.#isOver = true
      for (const callOffLook of this.#looks) callOffLook()
    }
  }

  /**
   * Calls `run` when the process has used this CPU time since its start. On systems without CPU times, elapsed time counts. CPU time never
   * exceeds elapsed time, so the first check comes after `seconds`.
   */
  whenComputed(seconds: number, run: () => void): void {
    this.#process.whenUp(() => {
      const before = this.#process.computedSeconds()
      const lookAfter = (milliseconds: number): void => {
        if (this.#isOver) return
        const callOff = this.#clock.after(milliseconds, async () => {
          this.#looks.delete(callOff)
          const [from, now] = await Promise.all([before, this.#process.computedSeconds()])
          const left = from === undefined || now === undefined ? 0 : seconds - (now - from)
          if (left > 0) lookAfter(Math.max(left * 1_000, lookMilliseconds))
          else if (!this.#isOver) run()
        })
        this.#looks.add(callOff)
      }
      lookAfter(seconds * 1_000)
    })
  }

  breakOff(reason: Error): void {
    this.#brokenOffFor ??= reason
    this.#process.kill()
  }

  /** Asks without files first. Sends the files after the answer `unknown`. */
  async #answered(): Promise<Reply> {
    const reply = await this.#asked({ withFiles: false })
    return reply.answer.is === 'unknown' ? this.#asked({ withFiles: true }) : reply
  }

  #asked({ withFiles }: { withFiles: boolean }): Promise<Reply> {
    const secondsMost = (wallTimes + 1) * this.#limits.seconds
    return this.#process.ask(requestOf(this.#work, { secondsMost, withFiles }), file => {
      this.#file = file
    })
  }

  #failed(error: unknown): never {
    if (this.#brokenOffFor) throw this.#brokenOffFor
    if (!(error instanceof RendererEnded) || error.because === 'early') throw error
    const isOutOfMemory = error.because === 'memory'
    throw this.#fault(
      isOutOfMemory ? `needed more than ${this.#limits.megabytes} MB` : `ended its process (${error.how})`,
    )
  }

  #fault(what: string): RenderError {
    const blame = { kind: 'limit', file: this.#file } as const
    const place = this.#file ? `, at ${this.#file}` : ''
    return new RenderError(`${subjectOf(this.#work.order)}: rendering ${what}${place}`, { blame, quotesNoValues: true })
  }
}

const subjectOf = ({ recipe, artifact }: Order): string =>
  artifact ? `${subjects[recipe.is]} (${artifact.called})` : subjects[recipe.is]

const subjects: Record<Recipe['is'], string> = {
  chart: 'chart',
  kustomization: 'kustomization',
  parameters: 'template of the parameters',
  kustomized: 'patches and images',
  layer: 'module',
}
