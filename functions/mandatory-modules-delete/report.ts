// The Events of a pass: about what decide found wrong, and about writes that failed. Those are tried again in the next call.
import type { Plan, Report, StepResult } from '../../shared/core/decisions/plan.ts'
import { failureNotes } from './reasons.ts'
import type { World } from './world.ts'

export const report = (_world: World, plan: Plan, results: readonly StepResult[]): Report => ({
  status: {},
  events: [...plan.events, ...failureNotes(results)],
})
