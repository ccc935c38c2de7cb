// What one rendering may take, counted over all its templates: steps, nesting, and characters of output. Every loop, call and list
// element is a step, so that a rendering ends in seconds whatever its templates say.
import { BudgetError, tooDeep } from './failure.ts'

export const limits = { depth: 1_000, steps: 10_000_000, output: 20 * 1024 * 1024 } as const

/** Elements are held in memory, so they cost more than an action that is over at once. */
const stepsPerElement = 8
const charactersPerStep = 64

export class Budget {
  private steps = 0
  private depth = 0
  private output = 0

  step(count = 1): void {
    this.steps += count
    if (!(this.steps <= limits.steps)) throw new BudgetError(`rendering takes more than ${limits.steps} steps`)
  }

  /** Before a list of this many elements is built. */
  list(length: number): void {
    this.step(Math.max(0, length) * stepsPerElement)
  }

  /** Before a text of this length is built. */
  text(length: number): void {
    if (!(length <= limits.output))
      throw new BudgetError(`a template builds a text of more than ${limits.output} characters`)
    this.step(Math.ceil(Math.max(0, length) / charactersPerStep))
  }

  /** What a template writes. */
  write(length: number): void {
    this.output += length
    if (this.output > limits.output) throw new BudgetError(`rendering gives more than ${limits.output} characters`)
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
