// Variables, match conditions and other expressions of policies. A webhook or policy applies only if all of its
// matchConditions are true.
import type { Environment } from '@marcbachmann/cel-js'
import { remembered } from '../../../core/memory/remembered.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { Authorizer, addAuthorizerTypes, withAuthorizer } from '../../cel/authorizer.ts'
import { addConstructions } from '../../cel/constructions.ts'
import { CelError, celLanguage, type Runnable, runnable } from '../../cel/program.ts'
import { celValue } from '../../cel/values.ts'
import type { Kind } from '../../kinds/kind.ts'
import { type JsonMap, mapsAt, put } from '../../value.ts'
import { type AdmissionParts, type Attributes, namespaceOf, requestOf } from '../attributes.ts'
import { asKind } from '../match.ts'

export type JudgedWrite = Attributes & {
  readonly seenAs: Kind
  readonly namespaceObject: KubeObject | null
  readonly params: KubeObject | null
}

export type Values = Readonly<Record<string, unknown>>

export const valuesOf = (subject: JudgedWrite, { authorization }: Pick<AdmissionParts, 'authorization'>): Values => {
  const { kind, seenAs, subresource, name, user, params, namespaceObject } = subject
  const asked = { group: kind.group, plural: kind.plural, subresource, namespace: namespaceOf(subject), name }
  return {
    object: celValue(asKind(subject.object, kind, seenAs), undefined),
    oldObject: celValue(asKind(subject.before, kind, seenAs), undefined),
    request: celValue(requestOf(subject, seenAs), undefined),
    namespaceObject: celValue(namespaceObject, undefined),
    params: celValue(params, undefined),
    authorizer: new Authorizer(authorization, user, asked),
    variables: {},
  }
}

let language: Environment | undefined

const variables = ['object', 'oldObject', 'request', 'params', 'namespaceObject', 'variables']

/** Compiles without a check of types, because types were checked when the policy was written. */
const expressionOf = (expression: string): Runnable => {
  language ??= variables.reduce(
    (environment, name) => environment.registerVariable(name, 'dyn'),
    withAuthorizer(addAuthorizerTypes(addConstructions(celLanguage().clone()))),
  )
  return runnable(expression, language)
}

type Variable = { readonly name: string; readonly value: Runnable }

/** Adds the variables of a policy. Each variable is evaluated at its first use. */
export const withVariables = (values: Values, own: readonly Variable[]): Values => {
  const known: Record<string, unknown> = {}
  const all = { ...values, variables: known }
  for (const { name, value } of own)
    Object.defineProperty(known, name, {
      configurable: true,
      enumerable: true,
      get: () => {
        const found = variableValue(name, value, all)
        delete known[name]
        put(known, name, found)
        return found
      },
    })
  return all
}

const variableValue = (name: string, value: Runnable, values: Values): unknown => {
  try {
    return value.run(values)
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    throw new CelError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${error.message}`)
  }
}

export type Expression = Runnable & { readonly text: string }

export const expressionIn = (holder: JsonMap, field = 'expression'): Expression => {
  const text = String(holder[field] ?? '')
  return { text, ...expressionOf(text) }
}

export const matchConditionsOf = remembered((holder: JsonMap): Expression[] =>
  mapsAt(holder, 'matchConditions').map(condition => expressionIn(condition)),
)

type Outcome = { readonly value?: unknown; readonly fault?: string }

export const outcomeOf = ({ text, run }: Expression, values: Values): Outcome => {
  try {
    return { value: run(values) }
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    return { fault: `expression '${text}' resulted in error: ${error.message}` }
  }
}

type Matched = { readonly isMatched: boolean; readonly fault?: string }

/** If one condition is false, the result is false, even if other conditions fail. If conditions only fail, the failurePolicy decides. */
export const matched = (conditions: readonly Expression[], values: Values, failurePolicy: unknown): Matched => {
  const outcomes = conditions.map(condition => outcomeOf(condition, values))
  if (outcomes.some(({ value }) => value === false)) return { isMatched: false }
  const faults = [...new Set(outcomes.flatMap(({ fault }) => fault ?? []))]
  if (faults.length === 0) return { isMatched: true }
  if (failurePolicy === 'Ignore') return { isMatched: false }
  return { isMatched: false, fault: faults.length === 1 ? faults[0] : `[${faults.join(', ')}]` }
}

export const variablesOf = remembered((spec: JsonMap): Variable[] =>
  mapsAt(spec, 'variables').map(variable => ({ name: String(variable.name), value: expressionIn(variable) })),
)

type Seen = Matched & { readonly bare: Values; readonly values: Values }

export const seenBy = (spec: JsonMap, subject: JudgedWrite, parts: AdmissionParts): Seen => {
  const bare = valuesOf(subject, parts)
  const values = withVariables(bare, variablesOf(spec))
  return { bare, values, ...matched(matchConditionsOf(spec), { ...values, namespaceObject: null }, spec.failurePolicy) }
}
