// Computes state, condition, message and requeue time after a pass, by the rows of state-rows.ts. shared/runtime/component/status writes
// the other fields of the status.
import { firstRow } from '../../core/decisions/first-row.ts'
import { conditionLimits } from '../../core/objects/condition.ts'
import { capitalised, listText, shortened } from '../../core/text/text.ts'
import { kubeTime } from '../../core/time/kube-time.ts'
import type { DependentsStatus } from './dependents-status.ts'
import type { ComponentState, PassError, PassResult } from './pass-result.ts'
import { spread } from './requeue-delays.ts'
import { byAge, type StateCase, stateRows } from './state-rows.ts'

/** `requeueSeconds`: 0 means at once, undefined means at the next event. */
export type StateReport = {
  readonly state: ComponentState
  readonly ready: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
  readonly requeueSeconds: number | undefined
  readonly isStalled: boolean
}

const readyAt: Record<ComponentState, StateReport['ready']> = {
  Pending: 'Unknown',
  Processing: 'Unknown',
  Ready: 'True',
  Error: 'False',
  DeletionPending: 'Unknown',
  Deleting: 'Unknown',
}

export const stateReport = (situation: PassResult): StateReport => {
  const c = caseOf(situation)
  const row = firstRow(stateRows, c)
  const ready = readyAt[row.state]
  const since = situation.before?.status === ready ? situation.before.lastTransitionTime : kubeTime(situation.now)
  const seconds = row.seconds ? row.seconds(c, since) : byAge(c)
  return {
    state: row.state,
    ready,
    reason: typeof row.reason === 'string' ? row.reason : row.reason(c),
    message: shortened(conditionLimits.message, capitalised(row.message(c))),
    requeueSeconds: hasMore(c) ? 0 : seconds && spread(seconds, c.uid),
    isStalled: c.fault?.is === 'configuration',
  }
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
