// The writes that restart workloads, and what is reported of each: an Event on the workload, and a count in a metric.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import type { Measurement, Metric } from '../../../../shared/core/decisions/measurement.ts'
import type { EventNote, Step, StepResult } from '../../../../shared/core/decisions/plan.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { kubeTime } from '../../../../shared/core/time/kube-time.ts'
import { type RestartCause, restarted } from '../../reasons.ts'
import type { RestartTarget } from './noted-targets.ts'
import { restartPatch } from './workloads.ts'

/** Replaces the Pods of a Deployment, StatefulSet or DaemonSet. It has a field manager of its own, so that no apply undoes it. */
export const rollStep = (target: KubeObject, now: Date): Step => ({
  do: 'patch',
  target,
  merge: restartPatch(kubeTime(now)),
  fieldManager: istioNames.fieldManagers.restart,
  isConflictPassing: true,
})

/** Deletes a Pod, whose owner creates a new one. */
export const deletePodStep = (target: KubeObject): Step => ({ do: 'delete', target, isConflictPassing: true })

export type RestartTried = {
  readonly target: RestartTarget
  readonly cause: RestartCause
  /** The workload whose Pods are replaced. */
  readonly workload: KubeObject
  readonly result: StepResult
}

const restarts = 'istio_restarts_total'

export const restartMetrics: readonly Metric[] = [
  {
    name: restarts,
    type: 'counter',
    labels: ['target', 'kind', 'cause', 'result'],
    help: 'Workloads that were restarted because of Istio, or could not be',
  },
]

export const restartsMeasured = (tried: readonly RestartTried[]): Measurement[] =>
  tried.map(({ target, cause, workload, result }) => ({
    metric: restarts,
    labels: { target, kind: workload.kind, cause, result: result.error ? 'failed' : 'restarted' },
    add: 1,
  }))

export const restartEvents = (tried: readonly RestartTried[]): EventNote[] =>
  tried.flatMap(({ cause, workload, result }) =>
    result.error || !result.changed ? [] : [{ ...restarted(cause), regarding: workload }],
  )
