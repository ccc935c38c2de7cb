// The Events of a pass: faults that decide found, and failed writes. The next call repeats failed writes.
import type { Plan, Report, StepResult } from '../../shared/core/decisions/plan.ts'
import { failureNotes } from './reasons.ts'
import type { World } from './world.ts'

export const report = (_world: World, plan: Plan, results: readonly StepResult[]): Report => ({
  status: {},
  events: [...plan.events, ...failureNotes(results)],
})
