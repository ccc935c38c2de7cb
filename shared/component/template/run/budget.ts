// What one rendering may take, counted over all its templates: steps, nesting, and characters of output. Every loop, call and list
// element is a step, so that a rendering ends in seconds whatever its templates say.
import { BudgetError, tooDeep } from './failure.ts'

export const limits = { depth: 1_000, steps: 10_000_000, output: 20 * 1024 * 1024 } as const

/** Elements are held in memory, so they cost more than an action that is over at once. */
const stepsPerElement = 8
export const charactersPerStep = 64

export class Budget {
  private steps = 0
  private depth = 0
  private output = 0

  /** Steps so far. */
  taken(): number {
    return Math.ceil(this.steps)
  }

  step(count = 1): void {
    this.steps += count
    if (!(this.steps <= limits.steps)) throw new BudgetError(`rendering takes more than ${limits.steps} steps`)
  }

  /** Before a list of this many elements is built. */
  list(length: number, weight = 1): void {
    this.step(Math.max(0, length) * stepsPerElement * weight)
  }

  /** Before a text of this length is built, or gone through by what is so many times as dear. */
  text(length: number, weight = 1): void {
    this.fits(length)
    this.step((Math.max(0, length) * weight) / charactersPerStep)
  }

  /** Before a text that is paid for in parts grows to this length. */
  fits(length: number): void {
    if (!(length <= limits.output))
      throw new BudgetError(`a template builds a text of more than ${limits.output} characters`)
  }

  /** What a template writes. */
  write(length: number): void {
    this.output += length
    if (this.output > limits.output) throw new BudgetError(`rendering gives more than ${limits.output} characters`)
  }

  /** What has been written so far. */
  written(): number {
    return this.output
  }

  /** What was written since is no output, but was a text that a function asked for. */
  takeBack(written: number): void {
    this.output = written
  }

  /** Before a template runs within another, and after. */
  enter(): void {
    if (this.depth >= limits.depth) throw tooDeep()
    this.depth += 1
  }

  leave(): void {
    this.depth -= 1
  }
}
