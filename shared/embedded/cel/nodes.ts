// Replaces the implementation of some nodes of a parsed CEL program. The library's matches() uses JavaScript's regular expressions, which
// differ from Go's and may take exponential time. Its has() only accepts chains of names, not `has(self.list[0].field)`, and does not check
// the last name.
import type { ParseResult } from '@marcbachmann/cel-js'
import { isFound } from '../kinds/formats.ts'
import { isMap } from '../value.ts'

type CelNode<Meta> = { readonly op: string; readonly args: unknown; readonly meta: Meta }

const isCelNode = <Meta>(value: unknown): value is CelNode<Meta> =>
  typeof value === 'object' && value !== null && 'op' in value && 'args' in value && 'meta' in value

const withChangedNodes = <Meta>(program: ParseResult, change: (node: CelNode<Meta>) => void): ParseResult => {
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const each of node) visit(each)
    else if (isCelNode<Meta>(node)) {
      change(node)
      visit(node.args)
    }
  }
  visit(program.ast)
  return program
}

type Meta = { evaluate: Evaluate }
type Evaluate = (evaluator: Evaluator, node: unknown, context: unknown) => unknown
type Evaluator = { run(node: unknown, context: unknown): unknown }

export const withGoPatterns = (program: ParseResult): ParseResult =>
  withChangedNodes<Meta>(program, node => {
    const call = matchesIn(node)
    if (call) node.meta.evaluate = matching(call, node.meta.evaluate)
  })

type MatchesCall = { readonly text: unknown; readonly pattern: unknown }

const matchesIn = ({ op, args }: CelNode<Meta>): MatchesCall | undefined => {
  if (op !== 'rcall' || !Array.isArray(args)) return undefined
  const [name, text, given] = args
  return name === 'matches' && Array.isArray(given) && given.length === 1 ? { text, pattern: given[0] } : undefined
}

const matching =
  (call: MatchesCall, known: Evaluate): Evaluate =>
  (evaluator, node, context) => {
    const text = evaluator.run(call.text, context)
    const pattern = evaluator.run(call.pattern, context)
    const areTexts = typeof text === 'string' && typeof pattern === 'string'
    return areTexts ? isFound(pattern, text) : known(evaluator, node, context)
  }

type Node = CelNode<MacroMeta>
type MacroMeta = { readonly macro?: Macro }
type Checker = { check(node: unknown, context: unknown): unknown; getType(name: string): unknown }
type Macro = {
  typeCheck(checker: Checker, macro: Macro, context: unknown): unknown
  evaluate(evaluator: Evaluator, macro: Macro, context: unknown): unknown
}

export const withPresence = (program: ParseResult): ParseResult =>
  withChangedNodes<MacroMeta>(program, node => {
    const selected = selectionIn(node)
    if (selected && node.meta.macro) Object.assign(node.meta.macro, presence(selected, { ...node.meta.macro }))
  })

const selectionIn = ({ op, args }: Node): Node | undefined => {
  if (op !== 'call' || !Array.isArray(args) || args[0] !== 'has') return undefined
  const [selected] = Array.isArray(args[1]) ? args[1] : []
  return isCelNode<MacroMeta>(selected) && selected.op === '.' ? selected : undefined
}

const isChain = (node: unknown): boolean =>
  isCelNode<MacroMeta>(node) &&
  (node.op === 'id' || ((node.op === '.' || node.op === '.?') && isChain(partsOf(node)[0])))

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
