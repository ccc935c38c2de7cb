// When a Kyma or a Manifest is called again, and the operation in its status, with its start time. Watches call it after changes; the time of
// the next call covers lost events.
import { firstRow } from '../core/decisions/checks.ts'
import type { Measurement, Metric } from '../core/decisions/measurement.ts'
import type { Next } from '../core/decisions/plan.ts'
import { excerpt } from '../core/text/text.ts'
import { kubeTime } from '../core/time/kube-time.ts'
import type { LastOperation, ModuleState } from './kinds.ts'
import type { RequeueSettings } from './settings.ts'

export type Situation = {
  readonly state: ModuleState
  readonly operation: string
  /** How long the status has had the same operation. */
  readonly sinceSeconds: number
  /** What can change the state: only a user, an external system, or time. */
  readonly needs: 'person' | 'outside' | 'time'
  /** The latest time of the next call, for example when a maintenance window opens. Absent: no such time. */
  readonly againSeconds?: number
  readonly requeue: RequeueSettings
}

/** For this time, a busy object is called often. Afterwards it is called every `calmSeconds`, because watches report changes anyway. */
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

// Why a Kyma or a Manifest is called again, as a metric with the name, labels and reasons of the Go operator.

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

type Doing = { readonly lastOperation: Required<LastOperation>; readonly sinceSeconds: number }

/**
 * The length limit for Event messages. The owner of a runtime controls the messages of default objects and Pods, and a status has room for one such
 * message per module.
 */
const charactersMost = 1_024

export const statusText = (text: string): string => excerpt(charactersMost, text)

/** `before`: the last operation in the stored status. */
export const doingSince = (before: LastOperation | undefined, text: string, now: Date): Doing => {
  const operation = statusText(text)
  const lastUpdateTime = (before?.operation === operation && before.lastUpdateTime) || kubeTime(now)
  const sinceSeconds = Math.max(0, (now.getTime() - Date.parse(lastUpdateTime)) / 1_000)
  return { lastOperation: { operation, lastUpdateTime }, sinceSeconds }
}
