// Why a Kyma or a Manifest is called again, counted under the name, labels and reasons of the Go operator.
import type { Measurement, Metric } from '../core/decisions/measurement.ts'

/** `unexpected`: after an error. */
export type Requeue = { readonly reason: string; readonly type: 'intended' | 'unexpected' }

const name = 'lifecycle_mgr_requeue_reason_total'

export const requeueMetric: Metric = {
  name,
  type: 'counter',
  labels: ['requeue_reason', 'requeue_type'],
  help: 'How often a Kyma or a Manifest was called again for a reason',
}

export const requeueMeasurement = ({ reason, type }: Requeue): Measurement => ({
  metric: name,
  labels: { requeue_reason: reason, requeue_type: type },
  add: 1,
})
