// The states of a component, as an ordered table. Each row has the rule for the state, the condition, and the requeue delay.
import { listText } from '../../core/text/text.ts'
import { type Note, noteText } from './dependents-status.ts'
import type { ComponentState, PassError, PassResult } from './pass-result.ts'
import { secondsAfterError, secondsByAge } from './requeue-delays.ts'

/** The facts for the rows. `fault`: the error that stopped the pass, or errors of dependents. */
export type StateCase = PassResult & {
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

export const stateRows: readonly Row[] = [
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

const passingSecondsOf: Record<PassError['is'], number | undefined> = {
  missingReference: 10,
  conflict: 0,
  retriable: undefined,
  configuration: undefined,
  plain: undefined,
}

const passingSeconds = ({ fault, retrySeconds }: StateCase): number => {
  const own = fault?.is === 'retriable' ? fault.seconds : fault && passingSecondsOf[fault.is]
  return own ?? retrySeconds
}

export const byAge = ({ now, processingSince, deletionTimestamp, dependents }: StateCase): number => {
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
