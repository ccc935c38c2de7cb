// Determines the status after the steps: the last operation, and the time of the next call. The first row that applies counts.
import { firstRow } from '../../shared/core/decisions/checks.ts'
import type { Next, Report, StatusChange, StepResult } from '../../shared/core/decisions/plan.ts'
import { isText } from '../../shared/core/json/json.ts'
import { mergePatched } from '../../shared/core/json/merge-patch.ts'
import type { Garden } from '../../shared/core/objects/garden.ts'
import { isDeleting } from '../../shared/core/objects/object.ts'
import type { GardenPlan } from './decide.ts'
import { enumerated, texts } from './reasons.ts'
import type { Flow } from './rules/flow.ts'
import { isRunning, lastOperationOf, operationStatus, quietSeconds } from './rules/last-operation.ts'
import { isFollowedUp } from './rules/operation-start.ts'
import { encryptionStatus, snapshotMarks } from './rules/rotation/encryption-rotation.ts'
import { rotationAfter } from './rules/rotation/phases.ts'
import { virtualGardenCluster } from './rules/rotation/virtual-objects.ts'
import { firstRenewalSeconds } from './rules/secrets/secret-steps.ts'
import type { World } from './world.ts'

export const report = (world: World, plan: GardenPlan, results: readonly StepResult[], now: Date): Report => {
  if (!plan.flow) return { status: plan.status }
  if (results.some(({ error }) => error?.isConflict)) return { status: {} }
  const run: Run = { world, flow: plan.flow, results, now }
  const { state, description, next } = firstRow(rows, run)
  const afterwards = { steps: snapshotMarks(world, results) }
  const status = statusAfter(run, state, description(run))
  const after = { ...world, garden: mergePatched(world.garden, { status }) as Garden }
  const isMoreDue = state === 'Succeeded' && isFollowedUp(after)
  return { status, afterwards, next: isMoreDue ? { is: 'again' } : next(run) }
}

type Run = {
  readonly world: World
  readonly flow: Flow
  readonly results: readonly StepResult[]
  readonly now: Date
}

type State = 'Processing' | 'Succeeded' | 'Error'

type Row = {
  readonly when: (run: Run) => boolean
  readonly state: State
  readonly description: (run: Run) => string
  readonly next: (run: Run) => Next
}

/** A wait that has not changed for this time is reported as a standstill. */
const standstillSeconds = 300
const waitSeconds = 10
const deletionSeconds = 5
const farSeconds = 1

/** Errors of the run. Omits retriable errors of steps with `isConflictPassing`, because the flow waits for their objects anyway. */
const errorsOf = ({ results, flow }: Run): readonly string[] => [
  ...results.flatMap(({ step, error }) => (error?.isRetriable && step.isConflictPassing ? [] : (error?.message ?? []))),
  ...flow.faults,
]

const isDone = ({ world: { garden }, flow, results }: Run): boolean =>
  !isDeleting(garden) && flow.waits.length + flow.faults.length === 0 && !hasWritten({ results })

const hasWritten = ({ results }: Pick<Run, 'results'>): boolean => results.some(({ changed }) => changed)

/** Whether objects in the virtual garden were written. A call rewrites only some objects; the next call finds the remaining objects. */
const hasWrittenFar = ({ results }: Run): boolean =>
  results.some(({ step, changed }) => changed && step.on === virtualGardenCluster)

const rows: readonly Row[] = [
  {
    when: run => errorsOf(run).length > 0,
    state: 'Error',
    description: run => texts.retried(enumerated(errorsOf(run))),
    next: run => retry(run),
  },
  {
    when: hasWritten,
    state: 'Processing',
    description: waitingText,
    next: run => (hasWrittenFar(run) ? { ...waitingOf(run), seconds: farSeconds } : { is: 'again' }),
  },
  {
    when: isDone,
    state: 'Succeeded',
    description: () => texts.succeeded,
    next: run => ({ is: 'settled', ...againOf(run) }),
  },
  {
    when: run => isStandstill(run),
    state: 'Error',
    description: waitingText,
    next: waitingOf,
  },
  {
    when: () => true,
    state: 'Processing',
    description: waitingText,
    next: waitingOf,
  },
]

function waitingOf({ world: { garden }, flow }: Run): Extract<Next, { is: 'waiting' }> {
  return { is: 'waiting', seconds: isDeleting(garden) ? deletionSeconds : waitSeconds, for: enumerated(flow.waits) }
}

function waitingText({ world: { garden }, flow }: Run): string {
  const { waits } = flow
  const text = waits.length > 0 ? texts.waiting(waits) : lastOperationOf(garden)?.description
  return (isDeleting(garden) ? [texts.deleting, waits.length > 0 && text].filter(isText).join(' ') : text) ?? ''
}

const isStandstill = ({ world: { garden }, flow, now }: Run): boolean => {
  const operation = lastOperationOf(garden)
  const isShortWait = (wait: string) => !flow.longWaits?.includes(wait)
  const isQuiet = operation?.progress === flow.percent && quietSeconds(operation, now) > standstillSeconds
  return isQuiet && flow.waits.some(isShortWait)
}

const retrySeconds = ({ world: { garden }, now }: Run): number =>
  Math.min(300, Math.max(5, Math.floor(quietSeconds(lastOperationOf(garden), now) / 2)))

/** A fault of a step is not counted as a failure, because it ends when a user creates the missing object. */
const retry = (run: Run): Next => {
  const [seconds, text] = [retrySeconds(run), enumerated(errorsOf(run))]
  const hasFailed = run.results.some(({ error }) => error !== undefined)
  return hasFailed ? { is: 'failed', seconds, reason: text } : { is: 'waiting', seconds, for: text }
}

/** The next call comes after the sync period, or earlier if a certificate is due for renewal. */
const againOf = ({ world, now }: Run): { readonly againSeconds: number } => {
  const { garden, settings } = world
  const gone = isRunning(garden) ? 0 : quietSeconds(lastOperationOf(garden), now)
  const due = firstRenewalSeconds(world) - now.getTime() / 1_000
  return { againSeconds: Math.max(1, Math.ceil(Math.min(settings.syncSeconds - gone, due))) }
}

/** An operation that succeeded stays Succeeded, even if Espalier later reverts changes of other programs. */
const statusAfter = ({ world, flow, now }: Run, state: State, description: string): StatusChange => {
  const { garden } = world
  if (!isRunning(garden)) return {}
  const operation = {
    type: isDeleting(garden) ? 'Delete' : 'Reconcile',
    state,
    progress: flow.percent,
    description,
  } as const
  const rotation = rotationAfter(garden, state === 'Succeeded', now)
  const { encryptionAtRest, ...encrypted } = state === 'Succeeded' ? encryptionStatus(world) : {}
  const credentials = {
    ...(Object.keys(rotation).length > 0 && { rotation }),
    ...(encryptionAtRest !== undefined && { encryptionAtRest }),
  }
  return {
    ...operationStatus(world, operation, now),
    ...encrypted,
    ...(Object.keys(credentials).length > 0 && { credentials }),
  }
}
