// The template engine's entry: texts are parsed into a set, and a template of the set is executed with data. Errors leave as
// TemplateError, worded as Helm's. What charts and kustomizations add (values, files, capabilities) is their own business.
import { standardFunctions } from './functions/standard.ts'
import { renderingOf } from './run/calls.ts'
import { Environment } from './run/environment.ts'
import { executeNamed } from './run/execution.ts'
import { BudgetError, ExecutionFault, Failure, TemplateError, tooDeep } from './run/failure.ts'
import { parseInto, type TemplateSet, Templates } from './run/set.ts'
import type { Delimiters } from './syntax/token.ts'
import { normal } from './value/bytes.ts'
import type { FunctionTable } from './value/signature.ts'
import type { GoValue } from './value/value.ts'

export { answered } from './run/answered.ts'
export { goValue, jsonValue } from './value/json.ts'
export { fn, within } from './value/signature.ts'
export { GoMap, Struct } from './value/value.ts'
export type { Delimiters, FunctionTable, GoValue, TemplateSet }
export { Environment }

type TemplateFile = { readonly name: string; readonly text: string }

type ParseOptions = {
  /** Added to the standard functions, or in their place. */
  readonly functions?: FunctionTable
  readonly delimiters?: Delimiters
  /** Told of each file before it is parsed. */
  readonly at?: (file: string) => void
}

/** All templates of the files, by name: each file's and those that it defines; later files win. Throws TemplateError. */
export const parseTemplates = (files: Iterable<TemplateFile>, options: ParseOptions = {}): TemplateSet => {
  const set: TemplateSet = {
    templates: new Templates(),
    functions: { ...standardFunctions, ...options.functions },
    delimiters: options.delimiters ?? { left: '{{', right: '}}' },
  }
  for (const { name, text } of files) {
    options.at?.(name)
    parseInto(set, name, text)
  }
  return set
}

/** What a template writes, `<no value>` left out as Helm does. Data is what `.` is. Throws TemplateError. */
export const execute = (set: TemplateSet, name: string, data: GoValue, environment: Environment): string =>
  render(set, name, data, environment)

// Executing a template of a set from outside: the first frame of a rendering, and the last place where a fault is worded.

/** What a template writes. Throws TemplateError or BudgetError. */
const render = (set: TemplateSet, name: string, data: GoValue, environment: Environment): string => {
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
