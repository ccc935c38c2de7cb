// Parses CEL expressions once and runs them often. A failing expression throws a CelError with Kubernetes' message.
import { Environment, EvaluationError, ParseError } from '@marcbachmann/cel-js'
import { BoundedCache } from '../../core/memory/bounded-cache.ts'
import { keptOrMade } from '../../core/memory/remembered.ts'
import { errorText } from '../../core/text/error-text.ts'
import { isMap, put } from '../value.ts'
import { addAddresses, addQuantities, addVersions } from './addresses.ts'
import { withCalls } from './constructions.ts'
import { addEqualities, addLists, addNamedFormats, addSets, addTexts } from './functions.ts'
import { withGoPatterns, withPresence } from './nodes.ts'

export class CelError extends Error {}

let basis: Environment | undefined

/** The language with Kubernetes' libraries; clone it before use. Created for the first expression, because most clusters have none. */
export const celLanguage = (): Environment => {
  basis ??= libraries.reduce(
    (before, add) => add(before),
    new Environment({ homogeneousAggregateLiterals: false, enableOptionalTypes: true }),
  )
  return basis
}

export type Runnable = {
  readonly ast: unknown
  run(values: object): unknown
}

export const runnable = (expression: string, language: Environment): Runnable => {
  try {
    const evaluate = withGoPatterns(withPresence(language.parse(withCalls(expression).text)))
    return { ast: evaluate.ast, run: values => evaluated(() => evaluate(values)) }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    const { summary } = error
    return { ast: undefined, run: () => fail(`rule compile error: ${summary}`) }
  }
}

const evaluated = (evaluate: () => unknown): unknown => {
  try {
    return evaluate()
  } catch (error) {
    return fail(worded(error))
  }
}

const fail = (why: string): never => {
  throw new CelError(why)
}

/** Kubernetes writes CEL's messages in lower case. An error of a function is reported as a fault of the expression. */
const worded = (error: unknown): string => {
  if (!(error instanceof EvaluationError)) return errorText(error)
  return error.summary.charAt(0).toLowerCase() + error.summary.slice(1)
}

export type Program = {
  readonly usesOldSelf: boolean
  run(values: { self: unknown; oldSelf: unknown }): unknown
}

let untyped: Environment | undefined

const parsed = (expression: string): Runnable => {
  untyped ??= celLanguage().clone().registerVariable('self', 'dyn').registerVariable('oldSelf', 'dyn')
  return runnable(expression, untyped)
}

const programs = new BoundedCache<string, Program>(10_000)

/** Parses a rule of a definition. With `isOptional`, the old value is a CEL optional, so that the rule also runs without an old value. */
export const programOf = (expression: string, isOptional: boolean): Program => {
  return keptOrMade(programs, `${isOptional} ${expression}`, () => {
    const { ast, run } = parsed(expression)
    return {
      usesOldSelf: mentionsOldSelf(ast),
      run: ({ self, oldSelf }) => run({ self, oldSelf: isOptional ? optional(oldSelf) : oldSelf }),
    }
  })
}

const optional = (value: unknown): unknown =>
  value === undefined ? parsed('optional.none()').run({}) : parsed('optional.of(self)').run({ self: value })

export const mentionsOldSelf = (node: unknown): boolean => {
  if (Array.isArray(node)) return node.some(mentionsOldSelf)
  if (typeof node !== 'object' || node === null) return false
  const { op, args } = node as { op?: unknown; args?: unknown }
  return (op === 'id' && args === 'oldSelf') || mentionsOldSelf(args)
}

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

/** A macro with two variables: index and value, or key and value. `result` combines the results of the body. */
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

const addLoops = (environment: Environment): Environment => {
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

const libraries = [
  addLists,
  addSets,
  addTexts,
  addQuantities,
  addVersions,
  addNamedFormats,
  addAddresses,
  addLoops,
  addEqualities,
]
