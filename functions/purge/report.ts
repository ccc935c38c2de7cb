// Reports a pass. The Kyma loses its finalizer once everything was read and all other finalizers are removed. There is no second check, because a
// module that still runs may add its finalizers again without end.
import type { Plan, Report, StepResult } from '../../shared/core/decisions/plan.ts'
import { faultTexts } from '../../shared/core/decisions/steps.ts'
import { release } from './decide.ts'
import { faultsText, finalizerEvents, purgeFailed, removalFailed } from './reasons.ts'
import { purgeError, purgeTook, purgeTried } from './rules/metrics.ts'
import { graceLeft } from './rules/stuck-deletion.ts'
import type { World } from './world.ts'

/** The wait before another attempt, because no event reports that a runtime has recovered. */
const retrySeconds = 30

export const report = (world: World, plan: Plan, results: readonly StepResult[], now: Date): Report => {
  const { runtime } = world
  if (runtime.is === 'unreadable') return failing(world, [runtime.because])
  if (runtime.is !== 'read') return unpurged(world, plan, results)
  const faults = [...runtime.unread, ...faultTexts(results)]
  if (faults.length > 0) return failing(world, faults)
  const isPurged = !runtime.hasMore && results.length === plan.steps.length && !results.some(({ error }) => error)
  return isPurged ? purgedReport(world, now) : { status: {}, measured: [purgeTried] }
}

const failing = ({ kyma }: World, faults: readonly string[]): Report => {
  const message = faultsText(faults)
  return {
    status: {},
    events: [purgeFailed(message)],
    next: { is: 'failed', seconds: retrySeconds, reason: message },
    measured: [purgeTried, ...purgeError(kyma, 'CleanupError')],
  }
}

/** Nothing was purged: the pass added or removed the finalizer of the Kyma, or had nothing to do. */
const unpurged = (world: World, plan: Plan, results: readonly StepResult[]): Report => {
  const { events, measured } = finalizerReport(world, results)
  return { status: {}, events: [...plan.events, ...events], measured }
}

const finalizerReport = ({ kyma }: World, results: readonly StepResult[]) => {
  const events = finalizerEvents(results)
  const isHeld = events.some(({ reason }) => reason === removalFailed)
  return { events, measured: purgeError(kyma, isHeld ? 'PurgeFinalizerRemovalError' : undefined) }
}

const purgedReport = (world: World, now: Date): Report => ({
  status: {},
  afterwards: { steps: [release(world)], report: results => finalizerReport(world, results) },
  measured: [purgeTried, purgeTook(-graceLeft(world.kyma, world.settings, now))],
})
