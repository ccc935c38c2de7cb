// Lists whose items are known by a name: each name once.
import { eachOnce, type Rule, ruleOfEach } from './rule.ts'

export const uniquenessRules: readonly Rule[] = [
  ruleOfEach({ at: ['spec.dns.providers'], ...eachOnce('name') }),
  ruleOfEach({ at: ['spec.extensions'], ...eachOnce('type') }),
  ruleOfEach({ at: ['spec.resources'], ...eachOnce('name') }),
]
