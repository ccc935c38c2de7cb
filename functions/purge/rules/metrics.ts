// Metrics of purge, with the names of the Go operator.
import type { Measurement, Metric } from '../../../shared/core/decisions/measurement.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'
import { runtimeLabels } from '../../../shared/kyma/kyma-runtime.ts'

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

type ErrorReason = 'CleanupError' | 'PurgeFinalizerRemovalError'

const reasons: readonly ErrorReason[] = ['CleanupError', 'PurgeFinalizerRemovalError']

export const purgeTried: Measurement = { metric: names.requests, add: 1 }

export const purgeTook = (seconds: number): Measurement => ({ metric: names.time, set: seconds })

/** `why`: undefined if nothing failed. */
export const purgeError = (kyma: Kyma, why: ErrorReason | undefined): Measurement[] =>
  reasons.map(reason => {
    const about = {
      metric: names.error,
      labels: { kyma_name: kyma.metadata.name, ...runtimeLabels(kyma), err_reason: reason },
    }
    return reason === why ? { ...about, set: 1 } : { ...about, forget: true }
  })
