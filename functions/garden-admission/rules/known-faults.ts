// What was wrong before and may stay so: a Garden that is taken over from somewhere else, or was stored by rules that were
// less strict, can be edited without first mending what nobody touches.
import { canonicalJson } from '../../../shared/core/json.ts'
import type { GardenRule, RuleFault } from './rule.ts'

/** The faults of single fields of a Garden as it is stored. */
export type KnownFaults = {
  readonly note: (rule: GardenRule, fault: RuleFault) => void
  /** Whether the same rule found the same in an equal value before; each finding spares one, wherever in its list it moved. */
  readonly spares: (rule: GardenRule, fault: RuleFault) => boolean
}

/** Nothing noted yet. */
export const knownFaults = (): KnownFaults => {
  const counts = new Map<GardenRule, Map<string, number>>()
  const change = (rule: GardenRule, fault: RuleFault, by: 1 | -1): boolean => {
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
const keyOf = ({ error, about }: RuleFault): string =>
  [error.field.replaceAll(/\[\d+\]/g, '[]'), error.message, canonicalJson(about)].join('\n')
