// What all templates of one rendering share.
import type { RE2JS } from 're2js'
import type { Lookup, RenderContext } from '../../generator.ts'
import { Budget } from './budget.ts'

/** What a rendering knows and uses up; one for all templates of a rendering. */
export class Environment {
  readonly context: RenderContext
  readonly budget = new Budget()
  /** Lookups that nobody has answered yet, by their key. */
  readonly needs = new Map<string, Lookup>()
  /** Regular expressions that have been compiled, by their pattern. */
  readonly patterns = new Map<string, RE2JS>()
  private readonly draws = new Map<string, number>()

  constructor(context: RenderContext) {
    this.context = context
  }

  /** Bytes that look random: the same for the nth call of a template within a revision. */
  draw(template: string, bytes: number): Uint8Array {
    const call = (this.draws.get(template) ?? 0) + 1
    this.draws.set(template, call)
    return this.context.draw({ template, call }, bytes)
  }
}
