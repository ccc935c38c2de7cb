// The faults of a rendering. A function throws a Failure. The template that called the function adds its place and throws an
// ExecutionFault. `include` and `tpl` convert the ExecutionFault to a Failure. The engine throws TemplateErrors.
import { type Blame, RenderError } from '../../generator.ts'

export class Failure extends Error {
  override readonly name: string = 'Failure'
  /** The message that the author passed to `fail` or `required`. Only this message is shown. */
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

/** The rendering exceeds a limit. No template can catch this error. */
export class BudgetError extends RenderError {
  place: string | undefined
}

class DepthError extends BudgetError {
  override place = ''
}

/** The message is the same for the limit and for the end of the stack. */
export const tooDeep = (): BudgetError =>
  new DepthError('templates or values are nested too deeply, or their texts are too long')
