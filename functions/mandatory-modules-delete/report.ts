// What of a pass is told: what was wrong before, and which writes failed. Failed writes are left to the caller, who calls again.
import type { Plan, StepResult } from '../../shared/core/decisions/plan.ts'
import type { Report } from '../../shared/runtime/definition.ts'
import { failureNotes } from './reasons.ts'
import type { World } from './world.ts'

export const report = (_world: World, plan: Plan, results: readonly StepResult[]): Report => ({
  status: {},
  events: [...plan.events, ...failureNotes(results)],
})
