// Rendering with lookups that may not be answered yet.
import { type Lookup, RenderError } from '../../generator.ts'
import type { Environment } from './environment.ts'

type Answered<Result> = { readonly result: Result } | { readonly needs: readonly Lookup[] }

/** What the run gives, or the lookups that it still needs: a run without their answers may fail only because of that. */
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
