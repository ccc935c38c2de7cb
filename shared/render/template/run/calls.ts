// What functions may ask of the rendering that they are called in: other templates, texts taken for templates, random bytes.
import { quote } from '../format/quote.ts'
import { SyntaxFault } from '../syntax/token-stream.ts'
import type { GoValue } from '../value/value.ts'
import type { Environment } from './environment.ts'
import { executeNamed, executeTemplate } from './execution.ts'
import { ExecutionFault, Failure } from './failure.ts'
import { type TemplateRun, textName } from './frame.ts'
import { addTemplates, type TemplateSet, Templates } from './set.ts'

/** A rendering with these templates; random bytes are drawn in the file's name. */
export const renderingOf = (set: TemplateSet, environment: Environment, file: string): TemplateRun => {
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

/** Runs templates on behalf of a function, whose complaint their faults become. */
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
