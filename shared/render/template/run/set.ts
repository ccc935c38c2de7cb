// The templates of a rendering by name, and how a text's templates join them.

import { isEmpty, type Template } from '../syntax/nodes.ts'
import { parse } from '../syntax/parser.ts'
import type { Delimiters } from '../syntax/token.ts'
import { SyntaxFault } from '../syntax/token-stream.ts'
import type { FunctionTable } from '../value/signature.ts'
import { TemplateError } from './failure.ts'

/** Only parsing adds to it. */
export type TemplateSet = {
  readonly templates: Map<string, Template>
  readonly functions: FunctionTable
  readonly delimiters: Delimiters
}

/** Functions that the executor itself evaluates. */
const shortCircuits = new Set(['and', 'or'])

/** Adds the templates that a text defines and the text itself, which it returns. Throws a SyntaxFault. */
export const addTemplates = (set: TemplateSet, name: string, text: string): Template => {
  const isFunction = (word: string): boolean => shortCircuits.has(word) || Object.hasOwn(set.functions, word)
  const { own, all } = parse({ name, text }, { delimiters: set.delimiters, isFunction })
  for (const template of all) {
    // A text of nothing but space does not undo what was defined before.
    if (!isEmpty(template) || !set.templates.has(template.name)) set.templates.set(template.name, template)
  }
  return own
}

/** The same, with faults as Helm words them. */
export const parseInto = (set: TemplateSet, name: string, text: string): void => {
  try {
    addTemplates(set, name, text)
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error
    const { line } = error
    throw new TemplateError(`parse error at (${name}:${line}): ${error.message.split(': ').at(-1)}`, {
      blame: { kind: 'syntax', file: name, line },
      quotesNoValues: true,
    })
  }
}
