// Reports a pass, with metrics named as in the Go operator. The Kyma loses its finalizer once everything was read and all other finalizers are
// removed. There is no second check, because a module that still runs may add its finalizers again without end.
import type { Measurement, Metric } from '../../shared/core/decisions/measurement.ts'
import type { Plan, Report, StepResult } from '../../shared/core/decisions/plan.ts'
import { faultTexts } from '../../shared/core/decisions/steps.ts'
import type { Kyma } from '../../shared/kyma/kinds.ts'
import { runtimeLabels } from '../../shared/kyma/kyma-runtime.ts'
import { release } from './decide.ts'
import { faultsText, finalizerEvents, purgeFailed, removalFailed } from './reasons.ts'
import { graceLeft } from './rules/purged.ts'
import type { World } from './world.ts'

const names = {
  time: 'lifecycle_mgr_purgectrl_time',
  requests: 'lifecycle_mgr_purgectrl_requests_total',
  error: 'lifecycle_mgr_purgectrl_error',
}

export const purgeMetrics: readonly Metric[] = [
  {
    name: names.time,
    type: 'gauge',
    labels: [],
    help: 'Seconds from the end of the grace until the last Kyma was purged',
  },
  { name: names.requests, type: 'counter', labels: [], help: 'Number of times that a runtime was checked for a purge' },
  {
    name: names.error,
    type: 'gauge',
    labels: ['kyma_name', 'shoot', 'instance_id', 'err_reason'],
    help: '1 for each Kyma whose purge or finalizer removal failed',
  },
]

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

type ErrorReason = 'CleanupError' | 'PurgeFinalizerRemovalError'

const reasons: readonly ErrorReason[] = ['CleanupError', 'PurgeFinalizerRemovalError']

const purgeTried: Measurement = { metric: names.requests, add: 1 }

const purgeTook = (seconds: number): Measurement => ({ metric: names.time, set: seconds })

/** `why`: undefined if nothing failed. */
const purgeError = (kyma: Kyma, why: ErrorReason | undefined): Measurement[] =>
  reasons.map(reason => {
    const about = {
      metric: names.error,
      labels: { kyma_name: kyma.metadata.name, ...runtimeLabels(kyma), err_reason: reason },
    }
    return reason === why ? { ...about, set: 1 } : { ...about, forget: true }
  })
