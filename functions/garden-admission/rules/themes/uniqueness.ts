// Lists whose items are known by a name: each name once.
import { eachOnce, type GardenRule } from '../rule.ts'

export const uniquenessRules: readonly GardenRule[] = [
  eachOnce({ at: ['spec.dns.providers'], field: 'name' }),
  eachOnce({ at: ['spec.extensions'], field: 'type' }),
  eachOnce({ at: ['spec.resources'], field: 'name' }),
]
