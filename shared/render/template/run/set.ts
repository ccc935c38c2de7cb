// The templates of a rendering by name, and how a text's templates join them.
import { isEmpty, type Template } from '../syntax/nodes.ts'
import { parse } from '../syntax/parser.ts'
import type { Delimiters } from '../syntax/token.ts'
import { SyntaxFault } from '../syntax/token-stream.ts'
import type { FunctionTable } from '../value/signature.ts'
import { TemplateError } from './failure.ts'

/** Only parsing adds to it. */
export type TemplateSet = {
  readonly templates: Templates
  readonly functions: FunctionTable
  readonly delimiters: Delimiters
}

/** Templates by name. Those of a text given to `tpl` lie over all others, which are not copied: charts call it thousands of times. */
export class Templates {
  private readonly own = new Map<string, Template>()
  private readonly below: Templates | undefined

  constructor(below?: Templates) {
    this.below = below
  }

  get(name: string): Template | undefined {
    return this.own.get(name) ?? this.below?.get(name)
  }

  set(template: Template): void {
    this.own.set(template.name, template)
  }
}

/** Functions that the executor itself evaluates. */
const shortCircuits = new Set(['and', 'or'])

/** Adds the templates that a text defines and the text itself, which it returns. Throws a SyntaxFault. */
export const addTemplates = (set: TemplateSet, name: string, text: string): Template => {
  const isFunction = (word: string): boolean => shortCircuits.has(word) || Object.hasOwn(set.functions, word)
  const { own, all } = parse({ name, text }, { delimiters: set.delimiters, isFunction })
  for (const template of all) {
    // A text of nothing but space does not undo what was defined before.
    if (!isEmpty(template) || !set.templates.get(template.name)) set.templates.set(template)
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
