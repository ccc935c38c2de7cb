// One rendering in one renderer. It ends with an answer, at a limit, or when it is broken off.
import { RenderError, type Rendering } from '../../render/generator.ts'
import type { Order, Recipe } from '../../render/order.ts'
import { renderingIn, requestOf } from './messages.ts'
import { RendererEnded, type RendererProcess, type Reply } from './process.ts'
import type { RenderWork } from './renderer.ts'

export type RenderLimits = { readonly seconds: number; readonly megabytes: number }

/** In milliseconds. `after` runs once; the returned function cancels it. */
export type Clock = { monotonic(): number; after(milliseconds: number, run: () => void): () => void }

export const processClock: Clock = {
  monotonic: () => performance.now(),
  after: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds)
    return () => clearTimeout(timer)
  },
}

/** The outcome of a rendering, whether its renderer can do another, and whether it ended by itself rather than being broken off. */
export type Result = { readonly outcome: RenderOutcome; readonly isFit: boolean; readonly isOver: boolean }

/** Throws or rejects when the rendering failed. */
export type RenderOutcome = () => Rendering | Promise<Rendering>

export class Run {
  readonly #work: RenderWork
  readonly #process: RendererProcess
  readonly #limits: RenderLimits
  #file: string | undefined
  #brokenOffFor: Error | undefined

  constructor(work: RenderWork, process: RendererProcess, limits: RenderLimits) {
    this.#work = work
    this.#process = process
    this.#limits = limits
  }

  /** Always resolves. Calling the outcome gives the rendering, or throws a RenderError or the reason of `breakOff`. */
  async result(clock: Clock): Promise<Result> {
    const { seconds, megabytes } = this.#limits
    const callOff = clock.after(seconds * 1_000, () => this.breakOff(this.#fault(`took longer than ${seconds} s`)))
    try {
      const { answer, bytes } = await this.#answered()
      return { outcome: () => renderingIn(answer), isFit: bytes < (megabytes * 2 ** 20) / 2, isOver: true }
    } catch (error) {
      return { outcome: () => this.#failed(error), isFit: false, isOver: this.#brokenOffFor === undefined }
    } finally {
      callOff()
    }
  }

  breakOff(reason: Error): void {
    this.#brokenOffFor ??= reason
    this.#process.kill()
  }

  /** Asks without the files first, and sends them when the renderer answers `unknown`. */
  async #answered(): Promise<Reply> {
    const reply = await this.#asked({ withFiles: false })
    return reply.answer.is === 'unknown' ? this.#asked({ withFiles: true }) : reply
  }

  #asked({ withFiles }: { withFiles: boolean }): Promise<Reply> {
    const secondsMost = 2 * this.#limits.seconds
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
