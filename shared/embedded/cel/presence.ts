// has(): the library knows only plain chains of names, not `has(self.list[0].field)`, and does not ask whether the last name
// is declared.
import type { ParseResult } from '@marcbachmann/cel-js'
import { isMap } from '../value.ts'
import { type CelNode, isCelNode, withChangedNodes } from './nodes.ts'

type Node = CelNode<Meta>
type Meta = { readonly macro?: Macro }
type Checker = { check(node: unknown, context: unknown): unknown; getType(name: string): unknown }
type Evaluator = { run(node: unknown, context: unknown): unknown }
type Macro = {
  typeCheck(checker: Checker, macro: Macro, context: unknown): unknown
  evaluate(evaluator: Evaluator, macro: Macro, context: unknown): unknown
}

/** The same program, whose has() takes any selection of a field. */
export const withPresence = (program: ParseResult): ParseResult =>
  withChangedNodes<Meta>(program, node => {
    const selected = selectionIn(node)
    if (selected && node.meta.macro) Object.assign(node.meta.macro, presence(selected, { ...node.meta.macro }))
  })

const selectionIn = ({ op, args }: Node): Node | undefined => {
  if (op !== 'call' || !Array.isArray(args) || args[0] !== 'has') return undefined
  const [selected] = Array.isArray(args[1]) ? args[1] : []
  return isCelNode<Meta>(selected) && selected.op === '.' ? selected : undefined
}

const isChain = (node: unknown): boolean =>
  isCelNode<Meta>(node) && (node.op === 'id' || ((node.op === '.' || node.op === '.?') && isChain(partsOf(node)[0])))

const partsOf = ({ args }: Node): unknown[] => (Array.isArray(args) ? args : [])

const presence = (selected: Node, known: Macro): Macro => {
  const [owner, name] = partsOf(selected)
  const isKnown = isChain(selected)
  return {
    typeCheck: (checker, macro, context) => {
      checker.check(selected, context)
      return isKnown ? known.typeCheck(checker, macro, context) : checker.getType('bool')
    },
    evaluate: (evaluator, macro, context) => {
      if (isKnown) return known.evaluate(evaluator, macro, context)
      const value = evaluator.run(owner, context)
      return isMap(value) && Object.hasOwn(value, String(name)) && value[String(name)] !== undefined
    },
  }
}
