// The templates of a rendering by name, and how a text's templates join them.
import { type Delimiters, isEmpty, type Template } from '../syntax/nodes.ts'
import { parse } from '../syntax/parser.ts'
import { SyntaxFault } from '../syntax/token-stream.ts'
import type { FunctionTable } from '../value/signature.ts'
import { TemplateError } from './failure.ts'

/** Only parsing adds to it. */
export type TemplateSet = {
  readonly templates: Templates
  readonly functions: FunctionTable
  readonly delimiters: Delimiters
}

/** A text given to `tpl` adds a layer over the others instead of copying them: charts call it thousands of times. */
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

/** The executor evaluates these functions. */
const shortCircuits = new Set(['and', 'or'])

/** Returns the text's own template. Throws a SyntaxFault. */
export const addTemplates = (set: TemplateSet, name: string, text: string): Template => {
  const isFunction = (word: string): boolean => shortCircuits.has(word) || Object.hasOwn(set.functions, word)
  const { own, all } = parse({ name, text }, { delimiters: set.delimiters, isFunction })
  for (const template of all) {
    // A text of only space does not undo an earlier definition.
    if (!isEmpty(template) || !set.templates.get(template.name)) set.templates.set(template)
  }
  return own
}

/** Words faults as Helm does. */
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
