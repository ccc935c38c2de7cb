// State that all templates of one rendering share, its limits for nesting, texts, lists and output, and its faults. shared/runtime/renderer
// limits time and memory.
import type { RE2JS } from 're2js'
import { recovered } from '../../../core/decisions/reading.ts'
import { type Blame, type Lookup, type RenderContext, RenderError } from '../../generator.ts'

export class Environment {
  readonly context: RenderContext
  readonly budget = new Budget()
  readonly needs = new Map<string, Lookup>()
  readonly patterns = new Map<string, RE2JS>()
  private readonly draws = new Map<string, number>()

  constructor(context: RenderContext) {
    this.context = context
  }

  /** Pseudo-random bytes. The nth call in a template gets the same bytes in every rendering of a revision. */
  draw(template: string, bytes: number): Uint8Array {
    const call = (this.draws.get(template) ?? 0) + 1
    this.draws.set(template, call)
    return this.context.draw({ template, call }, bytes)
  }
}

type Answered<Result> = { readonly result: Result } | { readonly needs: readonly Lookup[] }

/** The result of the run, or the lookups that it needs. If it needs lookups, a fault of the run is ignored: the missing answers may cause it. */
export const answered = <Result>(environment: Environment, run: () => Result): Answered<Result> => {
  const attempt = attempted(run)
  if (environment.needs.size > 0) return { needs: [...environment.needs.values()] }
  if ('fault' in attempt) throw attempt.fault
  return attempt
}

const attempted = <Result>(run: () => Result): { result: Result } | { fault: RenderError } => {
  try {
    return { result: run() }
  } catch (fault) {
    if (fault instanceof RenderError) return { fault }
    throw fault
  }
}

const limits = { depth: 1_000, output: 20 * 1024 * 1024, elements: 10_000_000 } as const

export class Budget {
  private depth = 0
  private output = 0

  /** Call before a text reaches this length. */
  fits(length: number): void {
    if (!(length <= limits.output))
      throw new BudgetError(`a template builds a text of more than ${limits.output} characters`)
  }

  list(length: number): void {
    if (!(length <= limits.elements))
      throw new BudgetError(`a template builds a list of more than ${limits.elements} elements`)
  }

  write(length: number): void {
    this.output += length
    if (this.output > limits.output)
      throw new BudgetError(`the rendered text has more than ${limits.output} characters`)
  }

  /** For functions such as `include`, whose text counts as output only when the text is written. */
  apart(run: () => string): string {
    const before = this.output
    const text = run()
    this.output = before
    return text
  }

  enter(): void {
    if (this.depth >= limits.depth) throw tooDeep()
    this.depth += 1
  }

  leave(): void {
    this.depth -= 1
  }
}

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

/** Whether the question is answered with true and without a Failure. */
export const holds = (question: () => boolean): boolean => recovered(Failure, question, () => false)

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
