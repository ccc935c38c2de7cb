// What was wrong before and may stay so: a Garden that is taken over from somewhere else, or was stored by rules that were
// less strict, can be edited without first mending what nobody touches.
import { canonicalJson } from '../../../shared/core/json.ts'
import type { Fault, Rule } from './rule.ts'

/** The faults of single fields of a Garden as it is stored. */
export type Standing = {
  readonly note: (rule: Rule, fault: Fault) => void
  /** Whether the same rule found the same in an equal value before; each finding spares one, wherever in its list it moved. */
  readonly spares: (rule: Rule, fault: Fault) => boolean
}

/** Nothing noted yet. */
export const standing = (): Standing => {
  const counts = new Map<Rule, Map<string, number>>()
  const change = (rule: Rule, fault: Fault, by: 1 | -1): boolean => {
    const found = counts.get(rule) ?? new Map<string, number>()
    const key = keyOf(fault)
    const count = (found.get(key) ?? 0) + by
    if (count >= 0) counts.set(rule, found.set(key, count))
    return count >= 0
  }
  return {
    note: (rule, fault) => {
      change(rule, fault, 1)
    },
    spares: (rule, fault) => change(rule, fault, -1),
  }
}

/** The message tells the Kubernetes version where it matters: what a newer one does not take is a fault of its own. */
const keyOf = ({ error, about }: Fault): string =>
  [error.field.replaceAll(/\[\d+\]/g, '[]'), error.message, canonicalJson(about)].join('\n')
