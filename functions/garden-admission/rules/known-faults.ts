// Faults that the stored Garden has already. An update may keep them, so that a Garden that was stored under less strict
// rules can be edited without first repairing other fields. Example: the stored domain `a_b` is invalid; an update of
// `spec.resources` is allowed.
import { canonicalJson } from '../../../shared/core/json/json.ts'
import type { GardenRule, RuleFault } from './rule.ts'

/** The faults of single fields of a Garden as it is stored. */
export type KnownFaults = {
  readonly note: (rule: GardenRule, fault: RuleFault) => void
  /** Whether the stored Garden has the same fault. Each stored fault allows one, also at another index of the same list. */
  readonly spares: (rule: GardenRule, fault: RuleFault) => boolean
}

/** Without faults. */
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

/** A message that names the Kubernetes version makes a fault of another version another fault. */
const keyOf = ({ error, about }: RuleFault): string =>
  [error.field.replaceAll(/\[\d+\]/g, '[]'), error.message, canonicalJson(about)].join('\n')
