// The steps that restart workloads, and their Events and metrics.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import type { Measurement, Metric } from '../../../../shared/core/decisions/measurement.ts'
import type { EventNote, Step, StepResult } from '../../../../shared/core/decisions/plan.ts'
import { type Key, type KubeObject, keyText } from '../../../../shared/core/objects/object.ts'
import { listText } from '../../../../shared/core/text/text.ts'
import { kubeTime } from '../../../../shared/core/time/kube-time.ts'
import { type RestartCause, restarted } from '../../reasons.ts'
import { type PodOwner, restartPatch } from './pod-owners.ts'
import type { DueRestart } from './pod-survey.ts'
import type { RestartTarget } from './restart-notes.ts'

/** Replaces the Pods of a Deployment, StatefulSet or DaemonSet. The step has its own field manager, so that no apply reverts it. */
export const rollStep = (target: KubeObject, now: Date): Step => ({
  do: 'patch',
  target,
  merge: restartPatch(kubeTime(now)),
  fieldManager: istioNames.fieldManagers.restart,
  isConflictPassing: true,
})

/** Rolls workloads. If an owner cannot be rolled, deletes one Pod, and the owner creates a new Pod. */
export const restartSteps = (due: readonly DueRestart[], now: Date): Step[] =>
  due.flatMap(({ owner: { action }, pod }): Step[] => {
    if (action.does === 'nothing') return []
    return [
      action.does === 'roll' ? rollStep(action.workload, now) : { do: 'delete', target: pod, isConflictPassing: true },
    ]
  })

export type RestartTried = {
  readonly target: RestartTarget
  readonly cause: RestartCause
  readonly workload: KubeObject
  readonly result: StepResult
}

/** Matches results with restarts. `results` may contain other steps. */
export const restartsTried = (
  due: readonly DueRestart[],
  results: readonly StepResult[],
): readonly (RestartTried & { readonly owner: PodOwner })[] =>
  due.flatMap(({ owner, cause, pod }) => {
    const { action } = owner
    if (action.does === 'nothing') return []
    const [written, workload] = action.does === 'roll' ? [action.workload, action.workload] : [pod, action.owner]
    return results
      .filter(({ step }) => 'target' in step && step.target.metadata.uid === written.metadata.uid)
      .map(result => ({ target: 'sidecars' as const, cause, workload, owner, result }))
  })

const restarts = 'istio_restarts_total'

export const restartMetrics: readonly Metric[] = [
  {
    name: restarts,
    type: 'counter',
    labels: ['target', 'kind', 'cause', 'result'],
    help: 'Number of restarts of workloads because of Istio, by result',
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

const namedMost = 5

/** For example `ns/a, ns/b`: at most five names, sorted, and the number of omitted names. */
export const workloadsText = (keys: readonly Key[]): string => {
  const names = [...new Set(keys.map(keyText))].sort()
  return listText(names, { most: namedMost, rest: others => ` and ${others} additional workload(s)` })
}
