// Entry of the template engine: parses texts into a set of templates, and executes a template of the set with data. Errors are
// TemplateErrors in Helm's words.
import { standardFunctions } from './functions/standard.ts'
import { BudgetError, Environment, ExecutionFault, Failure, TemplateError, tooDeep } from './run/environment.ts'
import { executeNamed, executeTemplate } from './run/execution.ts'
import { addTemplates, parseInto, type TemplateRun, type TemplateSet, Templates, textName } from './run/frame.ts'
import { quote } from './syntax/literals.ts'
import type { Delimiters } from './syntax/nodes.ts'
import { SyntaxFault } from './syntax/pipelines.ts'
import { normal } from './value/bytes.ts'
import type { FunctionTable } from './value/function.ts'
import type { GoValue } from './value/value.ts'

export { goValue, jsonValue } from './format/json.ts'
export { answered } from './run/environment.ts'
export { fn, within } from './value/function.ts'
export { GoMap, Struct } from './value/value.ts'
export type { Delimiters, FunctionTable, GoValue, TemplateSet }
export { Environment }

type TemplateFile = { readonly name: string; readonly text: string }

type ParseOptions = {
  /** Functions that are added to the standard functions, or replace them. */
  readonly functions?: FunctionTable
  readonly delimiters?: Delimiters
  readonly at?: (file: string) => void
}

/** The templates of the files, and the templates that they define, by name. Later files win. Throws TemplateError. */
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

/** The output, without `<no value>`, as in Helm. Throws TemplateError or BudgetError. */
export const execute = (set: TemplateSet, name: string, data: GoValue, environment: Environment): string => {
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
  // A fault of the chart: its nesting overflowed the stack, or a text became too long.
  if (error instanceof RangeError) return worded(tooDeep(), name)
  if (error instanceof BudgetError)
    return new BudgetError(`${name}: ${error.message}${error.place ? `, at ${error.place}` : ''}`, {
      blame: { kind: 'limit', file: name },
    })
  return error
}

/** Random bytes are drawn under the name of the file. */
const renderingOf = (set: TemplateSet, environment: Environment, file: string): TemplateRun => {
  const rendering: TemplateRun = {
    set,
    environment,
    call: {
      environment,
      budget: environment.budget,
      draw: bytes => environment.draw(file, bytes),
      include: (name, data) => {
        try {
          return environment.budget.apart(() => executeNamed(rendering, name, data))
        } catch (error) {
          throw complaint('', error)
        }
      },
      render: (text, data) => {
        const inner = renderingOf({ ...set, templates: new Templates(set.templates) }, environment, file)
        return environment.budget.apart(() => renderText(inner, text, data))
      },
    },
  }
  return rendering
}

const renderText = (rendering: TemplateRun, text: string, data: GoValue): string => {
  const template = complaining(
    () => `cannot parse template ${quote(text)}: `,
    () => addTemplates(rendering.set, textName, text),
  )
  const output = complaining(
    () => `error during tpl function execution for ${quote(text)}: `,
    () => executeTemplate(rendering, template, data),
  )
  return output.replaceAll('<no value>', '')
}

/** If a function runs a template, a fault of the template becomes a fault of the function. */
const complaining = <Result>(prefix: () => string, run: () => Result): Result => {
  try {
    return run()
  } catch (error) {
    throw complaint(prefix(), error)
  }
}

const complaint = (prefix: string, error: unknown): unknown => {
  if (error instanceof SyntaxFault) {
    return new Failure(`${prefix}template: ${textName}:${error.line}: ${error.message}`)
  }
  return error instanceof ExecutionFault ? new Failure(prefix + error.message, error.byAuthor, error.blame) : error
}
