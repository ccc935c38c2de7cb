// CEL's loops with two variables: index and value, or key and value. A loop is a row: its result from those of its
// body.
import type { Environment } from '@marcbachmann/cel-js'
import { isMap, put } from '../value.ts'

type Node = { readonly op: string; readonly args: unknown }
type Type = { readonly kind: string; readonly valueType?: unknown; readonly keyType?: unknown }
type Scope = {
  forkWithVariable(name: string, type: unknown): Scope
  reuse(context: unknown): Scope
  setIterValue(value: unknown, evaluator: unknown): Scope
}
type Checker = { check(node: unknown, scope: unknown): Type; getType(name: string): unknown }
type Evaluator = { run(node: unknown, scope: unknown): unknown }
type Call = { readonly args: readonly Node[]; readonly receiver: unknown }
type Pair = { readonly key: unknown; outcome(): unknown }

type Loop = { readonly returns: 'bool' | 'list<dyn>' | 'map<dyn, dyn>'; result(pairs: readonly Pair[]): unknown }

const asMap = (pairs: readonly Pair[]): Record<string, unknown> => {
  const result: Record<string, unknown> = {}
  for (const { key, outcome } of pairs) put(result, String(key), outcome())
  return result
}

const one: Loop = { returns: 'bool', result: pairs => pairs.filter(({ outcome }) => outcome() === true).length === 1 }

const loops: Readonly<Record<string, Loop>> = {
  all: { returns: 'bool', result: pairs => pairs.every(({ outcome }) => outcome() === true) },
  exists: { returns: 'bool', result: pairs => pairs.some(({ outcome }) => outcome() === true) },
  existsOne: one,
  exists_one: one,
  transformList: { returns: 'list<dyn>', result: pairs => pairs.map(({ outcome }) => outcome()) },
  transformMap: { returns: 'map<dyn, dyn>', result: asMap },
}

const pairsIn = (value: unknown): [key: unknown, value: unknown][] => {
  if (Array.isArray(value)) return value.map((item, index) => [BigInt(index), item])
  if (value instanceof Map) return [...value]
  return isMap(value) ? Object.entries(value) : []
}

const nameOf = (node: Node | undefined): string => {
  if (node?.op === 'id') return String(node.args)
  throw new Error('argument must be a simple name')
}

const expanded = (loop: Loop, { args, receiver }: Call) => {
  const [key, value, ...parts] = args
  const [body, condition] = parts.toReversed()
  const names = [nameOf(key), nameOf(value)] as const
  let scopes: { readonly outer: Scope; readonly inner: Scope }
  return {
    typeCheck: (checker: Checker, _: unknown, scope: Scope) => {
      const over = checker.check(receiver, scope)
      const isList = over.kind === 'list'
      const keyType = isList ? checker.getType('int') : (over.keyType ?? checker.getType('dyn'))
      const outer = scope.forkWithVariable(names[0], keyType)
      const inner = outer.forkWithVariable(names[1], over.valueType ?? checker.getType('dyn'))
      scopes = { outer, inner }
      if (condition) checker.check(condition, inner)
      checker.check(body, inner)
      return checker.getType(loop.returns)
    },
    evaluate: (evaluator: Evaluator, _: unknown, scope: Scope) => {
      const scopeOf = ([key, value]: [unknown, unknown]) => {
        const outer = scopes.outer.reuse(scope).setIterValue(key, evaluator)
        return scopes.inner.reuse(outer).setIterValue(value, evaluator)
      }
      const isWanted = (pair: [unknown, unknown]) => !condition || evaluator.run(condition, scopeOf(pair)) === true
      const wanted = pairsIn(evaluator.run(receiver, scope)).filter(isWanted)
      return loop.result(wanted.map(pair => ({ key: pair[0], outcome: () => evaluator.run(body, scopeOf(pair)) })))
    },
  }
}

export const addLoops = (environment: Environment): Environment => {
  for (const [name, loop] of Object.entries(loops)) {
    const isTransforming = loop.returns !== 'bool'
    for (const over of ['list', 'map'])
      for (const parameters of ['ast, ast, ast', ...(isTransforming ? ['ast, ast, ast, ast'] : [])])
        environment.registerFunction(`${over}.${name}(${parameters}): ${loop.returns}`, (call: Call) =>
          expanded(loop, call),
        )
  }
  return environment
}
