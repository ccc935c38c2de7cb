// The faults of a rendering. A Failure is a function's complaint; the template that called it adds its place and passes it on as an
// ExecutionFault, which include and tpl turn into a Failure of their own. What leaves the engine is a TemplateError.
import type { Blame } from '../../fault.ts'
import { RenderError } from '../../generator.ts'

/** A function's own complaint. */
export class Failure extends Error {
  override readonly name: string = 'Failure'
  /** What the chart's author says with `fail` or `required`: shown alone, without the way it took. */
  readonly byAuthor: string | undefined
  /** Where it comes from, if it does from a template. */
  readonly blame: Blame | undefined

  constructor(message: string, byAuthor?: string, blame?: Blame) {
    super(message)
    this.byAuthor = byAuthor
    this.blame = blame
  }
}

/** A template stopped at a place. */
export class ExecutionFault extends Error {
  override readonly name = 'ExecutionFault'
  /** `chart/templates/x.yaml:3:14`. */
  readonly place: string
  readonly byAuthor: string | undefined
  readonly blame: Blame

  constructor(message: string, { place, byAuthor, blame }: Stop) {
    super(message)
    this.place = place
    this.byAuthor = byAuthor
    this.blame = blame
  }
}

type Stop = { readonly place: string; readonly byAuthor: string | undefined; readonly blame: Blame }

/** A template could not be parsed or executed. */
export class TemplateError extends RenderError {}

/** More than a rendering may take; no template can catch it. */
export class BudgetError extends RenderError {
  /** The place of the template that exceeded the limit, `chart/templates/x.yaml:3:14`. */
  place: string | undefined
}

/** The nesting is too deep; that is at no place in particular. */
class DepthError extends BudgetError {
  override place = ''
}

/** One message, whether the limit is reached first or, with templates that need much of it, the end of the stack. */
export const tooDeep = (): BudgetError =>
  new DepthError('templates or values nest deeper, or make longer texts, than can be rendered')
