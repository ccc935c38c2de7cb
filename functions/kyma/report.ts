// Determines the status of a Kyma after the steps, the Events, and the time of the next call.
import { type DecidedPart, partReports } from '../../shared/core/decisions/parts.ts'
import type { EventNote, Report, StatusChange, StepResult } from '../../shared/core/decisions/plan.ts'
import { stepFaults } from '../../shared/core/decisions/steps.ts'
import { type Condition, withCondition } from '../../shared/core/objects/condition.ts'
import type { Kyma, ModuleState } from '../../shared/kyma/kinds.ts'
import { doingSince, nextFor, requeueMeasurement } from '../../shared/kyma/next-call.ts'
import type { KymaPlan } from './decide.ts'
import { type DeletionPlan, deletionEvents } from './parts/deletion.ts'
import { modules } from './parts/modules.ts'
import type { KymaPart, PartCondition } from './parts/part.ts'
import { copyStatusEvents, copyStatusSteps } from './parts/runtime-objects.ts'
import {
  conditionMessage,
  conditionReason,
  deletionStep,
  deletionStuck,
  kymaError,
  kymaOperations,
  metricsError,
} from './reasons.ts'
import { isIdentified, requeues, statusNotCopied } from './rules/metrics.ts'
import { kymaState, troubleOf } from './rules/state.ts'
import type { World } from './world.ts'

type Tried = { readonly results: readonly StepResult[]; readonly now: Date }

/** A deletion whose operation has not changed for this time is stuck. */
const stuckSeconds = 300

export const report = (world: World, plan: KymaPlan, results: readonly StepResult[], now: Date): Report => ({
  ...judged(world, plan, { results, now }),
  measured: requeues(world, plan, results).map(requeueMeasurement),
})

const judged = (world: World, { phase }: KymaPlan, { results, now }: Tried): Report => {
  // Another write was faster, for example of another replica: the next pass reads the new state.
  if (results.some(({ error }) => error?.isConflict)) return { status: {} }
  if (phase.is === 'life') return lifeReport(world, phase.decided, { results, now })
  if (phase.is === 'deletion') return deletionReport(world, phase.deletion, { results, now })
  return { status: {} }
}

const lifeReport = (world: World, decided: readonly DecidedPart<KymaPart>[], { results, now }: Tried): Report => {
  const trouble = troubleOf(world)
  const reports = partReports(decided, { world, results, now })
  const troubles = [trouble, ...reports.map(one => one.trouble)].filter(one => one !== undefined)
  const conditions = reports.flatMap(({ condition }) => condition ?? [])
  const entries = reports.flatMap(one => one.modules ?? [])
  const { state, operation } = kymaState({ conditions, troubles, modules: entries })
  const doing = doingNow(world, operation, now)
  const dues = reports.flatMap(({ againSeconds }) => againSeconds ?? [])
  const needs = [...troubles, ...reports].flatMap(one => one.needs ?? [])
  const { sinceSeconds } = doing
  const situation = {
    state,
    operation,
    sinceSeconds,
    needs,
    ...(dues.length > 0 && { againSeconds: Math.min(...dues) }),
  }
  // The Event contains the time in the status. Another replica may have saved an earlier time, so the Event is recorded after the status.
  const errors = state === 'Error' ? [kymaError(operation, doing.hour)] : []
  const status: StatusChange = {
    state,
    activeChannel: world.wanted.channel,
    modules: entries,
    conditions: conditionsOf(world, conditions, now),
    lastOperation: doing.lastOperation,
  }
  return {
    status,
    afterwards: {
      steps: copyStatusSteps(world, status as Kyma['status'], results),
      report: results => ({
        events: [...errors, ...copyStatusEvents(results)],
        measured: stepFaults(results).length > 0 ? [requeueMeasurement(statusNotCopied)] : [],
      }),
    },
    events: [...reports.flatMap(({ events = [] }) => events), ...unidentified(world)],
    ...(hasChangedRuntime(results) ? { next: { is: 'again' } as const } : nextAfter({ world, results, situation })),
  }
}

/** Later writes in the runtime may depend on the writes of this pass. */
const hasChangedRuntime = (results: readonly StepResult[]): boolean =>
  failuresIn(results).length === 0 && results.some(({ step, changed }) => changed && step.on !== undefined)

/** Recorded in the first pass of a generation only, because repeating an existing Event costs a request. */
const unidentified = ({ kyma }: World): EventNote[] => {
  const { generation = 0 } = kyma.metadata
  const isJudged = kyma.status?.conditions?.some(({ observedGeneration }) => observedGeneration === generation)
  return isIdentified(kyma) || isJudged ? [] : [metricsError(generation)]
}

const deletionReport = (world: World, deletion: DeletionPlan, { results, now }: Tried): Report => {
  const begins = world.kyma.status?.state !== 'Deleting'
  const [failure] = failuresIn(results)
  const operation = failure ?? deletion.waitsFor ?? kymaOperations.deleting
  const { lastOperation, sinceSeconds, hour } = doingNow(world, operation, now)
  const isStuck = !begins && sinceSeconds >= stuckSeconds
  const situation = { state: 'Deleting', operation, sinceSeconds, needs: [] } as const
  return {
    status: { state: 'Deleting', lastOperation, ...modulesLeft(world, { results, now }) },
    events: [
      ...(begins ? [deletionStep('SetKcpKymaStateDeleting')] : deletionEvents(deletion, results)),
      ...(isStuck ? [deletionStuck(operation, hour)] : []),
    ],
    ...(begins || (results.length > 0 && failure === undefined)
      ? { next: { is: 'again' } as const }
      : nextAfter({ world, results, situation })),
  }
}

const modulesLeft = (world: World, { results, now }: Tried): StatusChange => {
  const { modules: entries, condition } = modules.reports(world, results, now)
  return { modules: entries, conditions: conditionsOf(world, condition ? [condition] : [], now) }
}

type After = {
  readonly world: World
  readonly results: readonly StepResult[]
  readonly situation: {
    readonly state: ModuleState
    readonly operation: string
    readonly sinceSeconds: number
    readonly needs: readonly ('person' | 'outside')[]
    readonly againSeconds?: number
  }
}

/** undefined after a failed write: the caller then uses the API server's `Retry-After`. */
const nextAfter = ({ world, results, situation }: After): Pick<Report, 'next'> => {
  if (failuresIn(results).length > 0) return {}
  const { needs, ...rest } = situation
  const asked = needs.includes('outside') ? 'outside' : needs.includes('person') ? 'person' : 'time'
  return { next: nextFor({ ...rest, needs: asked, requeue: world.settings }) }
}

const failuresIn = (results: readonly StepResult[]): string[] => stepFaults(results).map(({ message }) => message)

/** Drops conditions whose part is switched off, so that no part reports them. */
const conditionsOf = ({ kyma }: World, reported: readonly PartCondition[], now: Date): readonly Condition[] => {
  const { generation: observedGeneration = 0 } = kyma.metadata
  const before = (kyma.status?.conditions ?? []) as readonly Condition[]
  const kept = before.filter(({ type }) => reported.some(condition => condition.type === type))
  return reported.reduce<readonly Condition[]>(
    (conditions, { type, status, message = conditionMessage(type, status) }) =>
      withCondition(conditions, { type, status, reason: conditionReason, message, observedGeneration }, now),
    kept.length === before.length ? before : kept,
  )
}

/** `hour` identifies an Event that is recorded at most once per hour: the start of the operation plus full hours. */
const doingNow = ({ kyma }: World, operation: string, now: Date) => {
  const doing = doingSince(kyma.status?.lastOperation, operation, now)
  return { ...doing, hour: `${doing.lastOperation.lastUpdateTime} ${Math.floor(doing.sinceSeconds / 3_600)}` }
}
