// Bounds on what one rendering may build, over all its templates: nesting, texts, lists, output. A template that exceeds one fails with its
// place; time and memory are bounded from outside, where nothing has to be counted (shared/runtime/renderer).
import { BudgetError, tooDeep } from './failure.ts'

const limits = { depth: 1_000, output: 20 * 1024 * 1024, elements: 10_000_000 } as const

export class Budget {
  private depth = 0
  private output = 0

  /** Before a text of this length is built, or as it grows to this length. */
  fits(length: number): void {
    if (!(length <= limits.output))
      throw new BudgetError(`a template builds a text of more than ${limits.output} characters`)
  }

  /** Before a list of this many elements is built. */
  list(length: number): void {
    if (!(length <= limits.elements))
      throw new BudgetError(`a template builds a list of more than ${limits.elements} elements`)
  }

  write(length: number): void {
    this.output += length
    if (this.output > limits.output) throw new BudgetError(`rendering gives more than ${limits.output} characters`)
  }

  /** Runs a template for a function such as `include`: its text is the function's result, and counts as output only if it is written. */
  apart(run: () => string): string {
    const before = this.output
    const text = run()
    this.output = before
    return text
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
