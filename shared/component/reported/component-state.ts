// Computes state, condition, message and requeue time after a pass, by an ordered table of states. shared/runtime/component/status writes
// the other fields of the status.
import { firstRow } from '../../core/decisions/checks.ts'
import { evenFraction } from '../../core/digest.ts'
import { conditionLimits } from '../../core/objects/condition.ts'
import { capitalised, listText, shortened } from '../../core/text/text.ts'
import { kubeTime } from '../../core/time/kube-time.ts'
import { type DependentsStatus, type Note, noteText } from './dependents-status.ts'

export const componentStates = ['Pending', 'Processing', 'Ready', 'Error', 'DeletionPending', 'Deleting'] as const
type ComponentState = (typeof componentStates)[number]

export type PassResult = {
  readonly now: Date
  readonly uid: string
  readonly deletionTimestamp?: string
  /** False for a new component. */
  readonly hasStatus: boolean
  readonly isSuspended: boolean
  /** The component changed while its dependents were not ready. */
  readonly isRestarted: boolean
  /** Absent when the pass ended before the dependents were read. */
  readonly dependents?: DependentsStatus
  readonly error?: PassError
  /** The time since when the component is not ready; '' when the component is ready. This pass writes the time into the status. */
  readonly processingSince: string
  /** The condition Ready before this pass. A new component digest resets its time. */
  readonly before?: { readonly status: string; readonly lastTransitionTime: string }
  readonly requeueSeconds: number
  readonly retrySeconds: number
  readonly timeoutSeconds: number
}

export type PassError =
  | { readonly is: 'retriable'; readonly message: string; readonly seconds?: number }
  | {
      readonly is: 'missingReference' | 'configuration' | 'conflict' | 'plain'
      readonly message: string
      readonly code?: number
    }

/** `requeueSeconds`: 0 means at once, undefined means at the next event. */
export type StateReport = {
  readonly state: ComponentState
  readonly ready: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
  readonly requeueSeconds: number | undefined
  readonly isStalled: boolean
}

export const stateReport = (situation: PassResult): StateReport => {
  const c = caseOf(situation)
  const row = firstRow(stateRows, c)
  const ready = readyAt[row.state]
  const reason = typeof row.reason === 'string' ? row.reason : row.reason(c)
  const since = situation.before?.status === ready ? situation.before.lastTransitionTime : kubeTime(situation.now)
  const seconds = row.seconds ? row.seconds(c, since) : byAge(c)
  return {
    state: row.state,
    ready,
    reason,
    message: shortened(conditionLimits.message, capitalised(row.message(c))),
    requeueSeconds: hasMore(c) ? 0 : seconds && spread(seconds, c.uid),
    isStalled: c.fault?.is === 'configuration',
  }
}

const readyAt: Record<ComponentState, StateReport['ready']> = {
  Pending: 'Unknown',
  Processing: 'Unknown',
  Ready: 'True',
  Error: 'False',
  DeletionPending: 'Unknown',
  Deleting: 'Unknown',
}

const caseOf = (situation: PassResult): StateCase => {
  const { now, processingSince, timeoutSeconds, deletionTimestamp, error, dependents } = situation
  const age = processingSince === '' ? 0 : (now.getTime() - Date.parse(processingSince)) / 1000
  return {
    ...situation,
    isGoing: deletionTimestamp !== undefined,
    isTimedOut: processingSince !== '' && age >= timeoutSeconds,
    fault: error ?? (dependents && faultOf(dependents)),
  }
}

/** Joins the errors of dependents. The result is retriable only if all errors are retriable. */
const faultOf = ({ errors }: DependentsStatus): PassError | undefined => {
  if (errors.length === 0) return undefined
  const message = listText(
    errors.map(({ message }) => message),
    { between: '; ' },
  )
  return { is: errors.every(({ isRetriable }) => isRetriable) ? 'retriable' : 'plain', message }
}

/** Whether steps are left, because the call's time was up or a write had a conflict. */
const hasMore = ({ dependents, fault, hasStatus }: StateCase): boolean =>
  dependents?.next.is === 'again' && fault === undefined && hasStatus

/** The facts for the rows. `fault`: the error that stopped the pass, or errors of dependents. */
type StateCase = PassResult & {
  readonly isGoing: boolean
  readonly isTimedOut: boolean
  readonly fault: PassError | undefined
}

type Row = {
  readonly when: (c: StateCase) => boolean
  readonly state: ComponentState
  readonly reason: string | ((c: StateCase) => string)
  readonly message: (c: StateCase) => string
  /** Default: by age. `since`: the time when the condition Ready got its current status. */
  readonly seconds?: (c: StateCase, since: string) => number | undefined
}

const stateRows: readonly Row[] = [
  {
    when: c => c.fault?.is === 'configuration',
    state: 'Error',
    reason: 'Error',
    message: c => faultText(c),
    seconds: () => undefined,
  },
  {
    when: c => !c.hasStatus && !c.isGoing,
    state: 'Pending',
    reason: 'FirstSeen',
    message: () => 'First seen',
    seconds: () => 0,
  },
  {
    when: c => c.isSuspended && !c.isGoing,
    state: 'Pending',
    reason: 'Suspended',
    message: () => 'Reconciliation is suspended',
    seconds: () => undefined,
  },
  {
    when: c => c.isRestarted && !c.isGoing,
    state: 'Processing',
    reason: 'Restarting',
    message: () => 'Restarting after a change',
  },
  {
    when: c => isPassing(c.fault) && !c.isGoing,
    state: 'Pending',
    reason: c => (c.isTimedOut ? 'Timeout' : 'Retrying'),
    message: c => faultText(c),
    seconds: c => passingSeconds(c),
  },
  {
    when: c => isPassing(c.fault),
    state: 'DeletionPending',
    reason: 'DeletionRetrying',
    message: c => faultText(c),
    seconds: c => passingSeconds(c),
  },
  {
    when: c => c.fault?.is === 'plain',
    state: 'Error',
    reason: c => (c.isTimedOut && !c.isGoing ? 'Timeout' : 'Error'),
    message: c => faultText(c),
    seconds: (c, since) => secondsAfterError(c.now, since),
  },
  {
    when: c => notesOf(c, 'failed').length > 0,
    state: 'Error',
    reason: 'DependentFailed',
    message: c => sentence('Failed', notesOf(c, 'failed')),
  },
  {
    when: c => c.isGoing && notesOf(c, 'blocked').length > 0,
    state: 'Deleting',
    reason: 'DeletionBlocked',
    message: c => sentence('Deletion is blocked', notesOf(c, 'blocked')),
    // Poll, because no event arrives when an object of another owner is deleted.
    seconds: c => Math.min(5, Math.max(2, byAge(c))),
  },
  {
    when: c => c.isGoing,
    state: 'Deleting',
    reason: 'DeletionProcessing',
    message: c => sentence('Waiting for', [...notesOf(c, 'unready'), ...notesOf(c, 'redundant')]),
  },
  {
    when: c => c.dependents?.ready === true,
    state: 'Ready',
    reason: 'Ready',
    message: () => 'All dependents are ready',
    seconds: c => Math.min(c.requeueSeconds, repairSeconds(c)),
  },
  {
    when: c => c.isTimedOut,
    state: 'Error',
    reason: 'Timeout',
    message: c => sentence('Timed out waiting for', unreadyNotes(c)),
  },
  {
    when: () => true,
    state: 'Processing',
    reason: 'Processing',
    message: c => sentence('Waiting for', unreadyNotes(c)),
  },
]

const isPassing = (fault: PassError | undefined): boolean =>
  fault?.is === 'retriable' || fault?.is === 'missingReference' || fault?.is === 'conflict'

const passingSeconds = ({ fault, retrySeconds }: StateCase): number => {
  if (fault?.is === 'retriable') return fault.seconds ?? retrySeconds
  return fault?.is === 'missingReference' ? 10 : 0
}

const byAge = ({ now, processingSince, deletionTimestamp, dependents }: StateCase): number => {
  const applied = (dependents?.items ?? []).map(({ lastAppliedAt }) => lastAppliedAt)
  return secondsByAge(now, [processingSince, deletionTimestamp, ...applied])
}

const repairSeconds = ({ dependents }: StateCase): number =>
  (dependents?.next.is === 'settled' ? dependents.next.againSeconds : undefined) ?? Number.POSITIVE_INFINITY

const faultText = ({ fault }: StateCase): string => fault?.message ?? ''

const notesOf = ({ dependents }: StateCase, field: 'failed' | 'blocked' | 'unready' | 'redundant'): readonly Note[] =>
  dependents?.[field] ?? []

const unreadyNotes = (c: StateCase): Note[] => [...notesOf(c, 'unready'), ...notesOf(c, 'redundant')]

const sentence = (beginning: string, notes: readonly Note[]): string =>
  notes.length > 0 ? `${beginning}: ${listText(notes.map(noteText), { between: '; ' })}` : beginning

const ages: readonly { readonly belowSeconds: number; readonly waitSeconds: number }[] = [
  { belowSeconds: 20, waitSeconds: 1 },
  { belowSeconds: 80, waitSeconds: 2 },
  { belowSeconds: Number.POSITIVE_INFINITY, waitSeconds: 10 },
]

/** The delay grows with the age of the latest time. A time in the future, from a fast clock, counts like a time equally far in the past. */
export const secondsByAge = (now: Date, since: readonly (string | undefined)[]): number => {
  const moments = since.flatMap(time => (time && Date.parse(time)) || [])
  const age = moments.length > 0 ? Math.abs(now.getTime() - Math.max(...moments)) / 1000 : 0
  return ages.find(({ belowSeconds }) => age < belowSeconds)?.waitSeconds ?? 10
}

/** The delay equals the time since the error began, so the delay doubles: 1 s, 2 s, 4 s, … 600 s. */
export const secondsAfterError = (now: Date, since: string | undefined): number => {
  const age = since === undefined ? 0 : Math.abs(now.getTime() - Date.parse(since)) / 1000 || 0
  return Math.min(600, Math.max(1, age))
}

/** Lengthens delays from 10 s by 1 to 5 %, by uid, so that a thousand components are not called at the same moment. */
const spread = (seconds: number, uid: string): number =>
  seconds < 10 ? seconds : seconds * (1.01 + 0.04 * evenFraction(uid))
