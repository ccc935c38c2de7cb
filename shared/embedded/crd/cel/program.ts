// CEL expressions, parsed once and run often. Whatever goes wrong while one runs is a RuleError with Kubernetes' words.
import { Environment, EvaluationError, ParseError } from '@marcbachmann/cel-js'
import { errorText } from '../../../core/text/error-text.ts'
import { addLibraries } from './libraries.ts'
import { withGoPatterns } from './matches.ts'
import { withPresence } from './presence.ts'

export type Program = {
  readonly usesOldSelf: boolean
  /** Throws RuleError. */
  run(values: { self: unknown; oldSelf: unknown }): unknown
}

/** An expression that could not be evaluated. */
export class RuleError extends Error {}

const newEnvironment = (): Environment =>
  addLibraries(new Environment({ homogeneousAggregateLiterals: false, enableOptionalTypes: true }))

let basis: Environment | undefined

/** The language with Kubernetes' libraries, to be cloned. Made when the first rule is met: most clusters have none. */
export const ruleLanguage = (): Environment => {
  basis ??= newEnvironment()
  return basis
}

let untyped: Environment | undefined

const parsed = (expression: string) => {
  untyped ??= ruleLanguage().clone().registerVariable('self', 'dyn').registerVariable('oldSelf', 'dyn')
  return withGoPatterns(withPresence(untyped.parse(expression)))
}

const mostKept = 10_000
const programs = new Map<string, Program>()

/** `isOptional`: the old value is an optional, so that the rule runs without one. */
export const programOf = (expression: string, isOptional: boolean): Program => {
  const key = `${isOptional} ${expression}`
  const found = programs.get(key)
  if (found) return found
  if (programs.size >= mostKept) programs.clear()
  const made = compiled(expression, isOptional)
  programs.set(key, made)
  return made
}

/** Why an expression cannot be parsed; undefined when it can. */
const syntaxFault = (expression: string): string | undefined => {
  try {
    parsed(expression)
    return undefined
  } catch (error) {
    if (error instanceof ParseError) return error.summary
    throw error
  }
}

const compiled = (expression: string, isOptional: boolean): Program => {
  const fault = syntaxFault(expression)
  if (fault !== undefined) return { usesOldSelf: false, run: () => fail(`rule compile error: ${fault}`) }
  const evaluate = parsed(expression)
  return {
    usesOldSelf: mentionsOldSelf(evaluate.ast),
    run: ({ self, oldSelf }) => {
      try {
        return evaluate({ self, oldSelf: isOptional ? optional(oldSelf) : oldSelf })
      } catch (error) {
        return fail(worded(error))
      }
    },
  }
}

const fail = (why: string): never => {
  throw new RuleError(why)
}

/** Kubernetes says what CEL says in lower case. What a function throws is a fault of the expression too. */
const worded = (error: unknown): string => {
  if (!(error instanceof EvaluationError)) return errorText(error)
  return error.summary.charAt(0).toLowerCase() + error.summary.slice(1)
}

const optional = (value: unknown): unknown =>
  value === undefined ? parsed('optional.none()')({}) : parsed('optional.of(self)')({ self: value })

export const mentionsOldSelf = (node: unknown): boolean => {
  if (Array.isArray(node)) return node.some(mentionsOldSelf)
  if (typeof node !== 'object' || node === null) return false
  const { op, args } = node as { op?: unknown; args?: unknown }
  return (op === 'id' && args === 'oldSelf') || mentionsOldSelf(args)
}
