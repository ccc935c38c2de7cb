// When a Kyma or a Manifest is called again. Watches call it when something changes; this time is the safety net below them.
import { firstRow } from '../core/decisions/first-row.ts'
import type { Measurement, Metric } from '../core/decisions/measurement.ts'
import type { Next } from '../core/decisions/plan.ts'
import type { ModuleState } from './kinds.ts'
import type { RequeueSettings } from './settings.ts'

export type Situation = {
  readonly state: ModuleState
  readonly operation: string
  /** How long the status has had this operation. */
  readonly sinceSeconds: number
  /** Who can help: a person alone, somebody outside, or time. */
  readonly needs: 'person' | 'outside' | 'time'
  /** It must be called again by then, for example when a maintenance window opens. Absent: nothing is due. */
  readonly againSeconds?: number
  readonly requeue: RequeueSettings
}

/** A busy object is called often only for this long, and then every `calmSeconds`: watches report changes anyway. */
const briskSeconds = 60
const calmSeconds = 30
const errorSecondsLeast = 5

const seconds: Readonly<Record<ModuleState, (situation: Situation) => number>> = {
  Ready: ({ requeue }) => requeue.requeueReady,
  Unmanaged: ({ requeue }) => requeue.requeueReady,
  Warning: ({ requeue }) => requeue.requeueWarning,
  Processing: busySeconds,
  Deleting: busySeconds,
  '': busySeconds,
  Error: ({ requeue, sinceSeconds }) =>
    Math.min(requeue.requeueError, Math.max(errorSecondsLeast, Math.round(sinceSeconds))),
}

type Row = {
  readonly when: (situation: Situation) => boolean
  readonly next: (situation: Situation, again: number) => Next
}

const rows: readonly Row[] = [
  {
    when: ({ state, needs }) => state === 'Error' && needs === 'outside',
    next: ({ operation }, again) => ({ is: 'failed', seconds: again, reason: operation }),
  },
  {
    when: ({ state, needs, againSeconds }) => isTrouble(state) && needs === 'person' && againSeconds === undefined,
    next: ({ operation }) => ({ is: 'stalled', reason: operation }),
  },
  { when: ({ state }) => state === 'Ready', next: (_, againSeconds) => ({ is: 'settled', againSeconds }) },
  { when: () => true, next: ({ operation }, again) => ({ is: 'waiting', seconds: again, for: operation }) },
]

const isTrouble = (state: ModuleState): boolean => state === 'Error' || state === 'Warning'

export const nextFor = (situation: Situation): Next => {
  const usual = seconds[situation.state](situation)
  const again = Math.min(usual, situation.againSeconds ?? usual)
  return firstRow(rows, situation).next(situation, again)
}

function busySeconds({ requeue, sinceSeconds }: Situation): number {
  return sinceSeconds < briskSeconds ? requeue.requeueBusy : Math.max(calmSeconds, requeue.requeueBusy)
}

// Why a Kyma or a Manifest is called again, counted under the name, labels and reasons of the Go operator.

/** `unexpected`: after an error. */
export type Requeue = { readonly reason: string; readonly type: 'intended' | 'unexpected' }

const name = 'lifecycle_mgr_requeue_reason_total'

export const requeueMetric: Metric = {
  name,
  type: 'counter',
  labels: ['requeue_reason', 'requeue_type'],
  help: 'Number of repeated calls for a Kyma or a Manifest, by reason',
}

export const requeueMeasurement = ({ reason, type }: Requeue): Measurement => ({
  metric: name,
  labels: { requeue_reason: reason, requeue_type: type },
  add: 1,
})
