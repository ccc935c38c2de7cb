// matches(): the library has JavaScript's regular expressions, which are not Go's and may take forever. It takes no other function of
// that name, so what its calls do is replaced where they stand.
import type { ParseResult } from '@marcbachmann/cel-js'
import { isFound } from '../crd/go-pattern.ts'
import { type CelNode, withChangedNodes } from './nodes.ts'

type Meta = { evaluate: Evaluate }
type Evaluate = (evaluator: Evaluator, node: unknown, context: unknown) => unknown
type Evaluator = { run(node: unknown, context: unknown): unknown }

/** The same program, whose `text.matches(pattern)` reads the pattern as Go does. */
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

/** The library refuses values that are no text. */
const matching =
  (call: MatchesCall, known: Evaluate): Evaluate =>
  (evaluator, node, context) => {
    const text = evaluator.run(call.text, context)
    const pattern = evaluator.run(call.pattern, context)
    const areTexts = typeof text === 'string' && typeof pattern === 'string'
    return areTexts ? isFound(pattern, text) : known(evaluator, node, context)
  }
