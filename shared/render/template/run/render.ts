// Executing a template of a set from outside: the first frame of a rendering, and the last place where a fault is worded.
import { normal } from '../value/bytes.ts'
import type { GoValue } from '../value/value.ts'
import { renderingOf } from './calls.ts'
import type { Environment } from './environment.ts'
import { executeNamed } from './execution.ts'
import { BudgetError, ExecutionFault, Failure, TemplateError, tooDeep } from './failure.ts'
import type { TemplateSet } from './set.ts'

/** What a template writes. Throws TemplateError or BudgetError. */
export const render = (set: TemplateSet, name: string, data: GoValue, environment: Environment): string => {
  try {
    return normal(executeNamed(renderingOf(set, environment, name), name, data)).replaceAll('<no value>', '')
  } catch (error) {
    throw worded(error, name)
  }
}

const worded = (error: unknown, name: string): unknown => {
  if (error instanceof ExecutionFault) {
    const { message, place, byAuthor, blame } = error
    return new TemplateError(byAuthor === undefined ? message : `execution error at (${place}): ${byAuthor}`, { blame })
  }
  if (error instanceof Failure) return new TemplateError(error.message, { blame: { kind: 'execution', file: name } })
  // The engine recurses as templates and values nest; what the stack or a text cannot hold is too much for a chart.
  if (error instanceof RangeError) return worded(tooDeep(), name)
  if (error instanceof BudgetError)
    return new BudgetError(`${name}: ${error.message}${error.place ? `, at ${error.place}` : ''}`, {
      blame: { kind: 'limit', file: name },
    })
  return error
}
