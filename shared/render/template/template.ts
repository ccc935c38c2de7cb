// The template engine's entry: texts are parsed into a set, and a template of the set is executed with data. Errors leave as
// TemplateError, worded as Helm's. What charts and kustomizations add (values, files, capabilities) is their own business.
import { standardFunctions } from './functions/standard.ts'
import { Environment } from './run/environment.ts'
import { render } from './run/render.ts'
import { parseInto, type TemplateSet, Templates } from './run/set.ts'
import type { Delimiters } from './syntax/token.ts'
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
