// CEL expressions, parsed once and run often. A failing one throws a CelError with Kubernetes' message.
import { Environment, EvaluationError, ParseError } from '@marcbachmann/cel-js'
import { errorText } from '../../core/text/error-text.ts'
import { addAddresses } from './addresses.ts'
import { withCalls } from './constructions.ts'
import { addEqualities, addLists, addSets } from './lists.ts'
import { addLoops } from './loops.ts'
import { addNamedFormats } from './named-formats.ts'
import { withGoPatterns, withPresence } from './nodes.ts'
import { addQuantities, addVersions } from './quantities.ts'
import { addTexts } from './texts.ts'

export class CelError extends Error {}

const newEnvironment = (): Environment =>
  addLibraries(new Environment({ homogeneousAggregateLiterals: false, enableOptionalTypes: true }))

let basis: Environment | undefined

/** With Kubernetes' libraries, to be cloned. Created at the first expression, since most clusters have none. */
export const celLanguage = (): Environment => {
  basis ??= newEnvironment()
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

/** Kubernetes writes CEL's messages in lower case. An error of a function is the expression's fault. */
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

const mostKept = 10_000
const programs = new Map<string, Program>()

/** A rule of a definition. `isOptional`: the old value is an optional, so that the rule also runs without one. */
export const programOf = (expression: string, isOptional: boolean): Program => {
  const key = `${isOptional} ${expression}`
  const found = programs.get(key)
  if (found) return found
  if (programs.size >= mostKept) programs.clear()
  const { ast, run } = parsed(expression)
  const made: Program = {
    usesOldSelf: mentionsOldSelf(ast),
    run: ({ self, oldSelf }) => run({ self, oldSelf: isOptional ? optional(oldSelf) : oldSelf }),
  }
  programs.set(key, made)
  return made
}

const optional = (value: unknown): unknown =>
  value === undefined ? parsed('optional.none()').run({}) : parsed('optional.of(self)').run({ self: value })

export const mentionsOldSelf = (node: unknown): boolean => {
  if (Array.isArray(node)) return node.some(mentionsOldSelf)
  if (typeof node !== 'object' || node === null) return false
  const { op, args } = node as { op?: unknown; args?: unknown }
  return (op === 'id' && args === 'oldSelf') || mentionsOldSelf(args)
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

const addLibraries = (environment: Environment): Environment =>
  libraries.reduce((before, add) => add(before), environment)
