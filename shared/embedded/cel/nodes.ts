// The nodes of a parsed CEL program. What one of them does can be replaced where it stands.
import type { ParseResult } from '@marcbachmann/cel-js'

export type CelNode<Meta> = { readonly op: string; readonly args: unknown; readonly meta: Meta }

export const isCelNode = <Meta>(value: unknown): value is CelNode<Meta> =>
  typeof value === 'object' && value !== null && 'op' in value && 'args' in value && 'meta' in value

/** The same program, each of whose nodes was changed, the outer ones first. */
export const withChangedNodes = <Meta>(program: ParseResult, change: (node: CelNode<Meta>) => void): ParseResult => {
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
