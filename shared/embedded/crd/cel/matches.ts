// matches(): the library has JavaScript's regular expressions, which are not Go's and may take forever. It takes no other function of
// that name, so what its calls do is replaced where they stand.
import type { ParseResult } from '@marcbachmann/cel-js'
import { isFound } from '../go-pattern.ts'

type Node = { readonly op: string; readonly args: unknown; readonly meta: { evaluate: Evaluate } }
type Evaluate = (evaluator: Evaluator, node: unknown, context: unknown) => unknown
type Evaluator = { run(node: unknown, context: unknown): unknown }

/** The same program, whose `text.matches(pattern)` reads the pattern as Go does. */
export const withGoPatterns = (program: ParseResult): ParseResult => {
  mend(program.ast)
  return program
}

const mend = (node: unknown): void => {
  if (Array.isArray(node)) for (const each of node) mend(each)
  else if (isNode(node)) {
    const call = matchesIn(node)
    if (call) node.meta.evaluate = matching(call, node.meta.evaluate)
    mend(node.args)
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'op' in value && 'args' in value && 'meta' in value

type MatchesCall = { readonly text: unknown; readonly pattern: unknown }

const matchesIn = ({ op, args }: Node): MatchesCall | undefined => {
  if (op !== 'rcall' || !Array.isArray(args)) return undefined
  const [name, text, given] = args
  return name === 'matches' && Array.isArray(given) && given.length === 1 ? { text, pattern: given[0] } : undefined
}

/** What is no text is the library's to refuse. */
const matching =
  (call: MatchesCall, known: Evaluate): Evaluate =>
  (evaluator, node, context) => {
    const text = evaluator.run(call.text, context)
    const pattern = evaluator.run(call.pattern, context)
    const areTexts = typeof text === 'string' && typeof pattern === 'string'
    return areTexts ? isFound(pattern, text) : known(evaluator, node, context)
  }
