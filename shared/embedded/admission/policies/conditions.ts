// matchConditions: all must hold, so that a webhook or a policy has a say.
import { remembered } from '../../../core/memory/remembered.ts'
import { CelError, type Runnable } from '../../cel/program.ts'
import { type JsonMap, mapsAt } from '../../value.ts'
import type { AdmissionParts } from '../attributes.ts'
import { expressionOf, type JudgedWrite, type Values, type Variable, valuesOf, withVariables } from './values.ts'

export type Expression = Runnable & { readonly text: string }

export const expressionIn = (holder: JsonMap, field = 'expression'): Expression => {
  const text = String(holder[field] ?? '')
  return { text, ...expressionOf(text) }
}

/** The conditions of a webhook or of a policy's spec. */
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

/** A condition that is false decides, whatever else fails; for faults failurePolicy decides. */
export const matched = (conditions: readonly Expression[], values: Values, failurePolicy: unknown): Matched => {
  const outcomes = conditions.map(condition => outcomeOf(condition, values))
  if (outcomes.some(({ value }) => value === false)) return { isMatched: false }
  const faults = [...new Set(outcomes.flatMap(({ fault }) => fault ?? []))]
  if (faults.length === 0) return { isMatched: true }
  if (failurePolicy === 'Ignore') return { isMatched: false }
  return { isMatched: false, fault: faults.length === 1 ? faults[0] : `[${faults.join(', ')}]` }
}

/** Of a policy's spec. */
export const variablesOf = remembered((spec: JsonMap): Variable[] =>
  mapsAt(spec, 'variables').map(variable => ({ name: String(variable.name), value: expressionIn(variable) })),
)

type Seen = Matched & { readonly bare: Values; readonly values: Values }

/** Variables of a policy's expressions, and whether its conditions hold. Conditions do not see the namespace. */
export const seenBy = (spec: JsonMap, subject: JudgedWrite, parts: AdmissionParts): Seen => {
  const bare = valuesOf(subject, parts)
  const values = withVariables(bare, variablesOf(spec))
  return { bare, values, ...matched(matchConditionsOf(spec), { ...values, namespaceObject: null }, spec.failurePolicy) }
}
