// Restarts of workloads that are known by name: the ingress gateway and the control plane.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { RestartCause } from '../../reasons.ts'
import type { Noted } from './noted-targets.ts'
import { pastSecondsAt } from './restart-times.ts'
import { restartedAtOf } from './workloads.ts'

export type NamedRestarts = {
  readonly noted: Noted
  /** The workloads to restart now; none before the status notes the target. */
  readonly due: readonly { readonly workload: KubeObject; readonly cause: RestartCause }[]
}

/** Leaves out workloads that were restarted since the target was noted. `now` is in unix seconds. */
export const namedRestarts = (noted: Noted, stale: NamedRestarts['due'], now: number): NamedRestarts => {
  if (noted.is !== 'noted') return { noted, due: [] }
  const isDone = (workload: KubeObject) => (pastSecondsAt(restartedAtOf(workload), now) ?? 0) > noted.since
  return { noted, due: stale.filter(({ workload }) => !isDone(workload)) }
}
