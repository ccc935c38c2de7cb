// The faults of a rendering. Functions throw Failures; the template that called one adds its place and throws an
// ExecutionFault, which include and tpl turn into a Failure of their own. The engine throws TemplateErrors.
import { type Blame, RenderError } from '../../generator.ts'

export class Failure extends Error {
  override readonly name: string = 'Failure'
  /** The author's message for `fail` or `required`, which is shown alone. */
  readonly byAuthor: string | undefined
  readonly blame: Blame | undefined

  constructor(message: string, byAuthor?: string, blame?: Blame) {
    super(message)
    this.byAuthor = byAuthor
    this.blame = blame
  }
}

export class ExecutionFault extends Error {
  override readonly name = 'ExecutionFault'
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

export class TemplateError extends RenderError {}

/** More than a rendering may take; no template can catch it. */
export class BudgetError extends RenderError {
  place: string | undefined
}

class DepthError extends BudgetError {
  override place = ''
}

/** One message, whether the limit or the end of the stack comes first. */
export const tooDeep = (): BudgetError =>
  new DepthError('templates or values nest deeper, or make longer texts, than can be rendered')
