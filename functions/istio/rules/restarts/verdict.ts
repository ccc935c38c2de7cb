// Decides what happens to the owner of stale Pods. An owner is restarted once per wanted state. If Pods are still stale after the restart,
// their owner is reported as stuck and not restarted again.
import { firstRow } from '../../../../shared/core/decisions/first-row.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { PodOwner } from './owners.ts'
import { madeAt, pastSecondsAt, settleSeconds } from './restart-notes.ts'
import { mayBeStarting, type SeenPod, type Stale } from './stale-pod.ts'
import { restartedAtOf, type SeenWorkload, type WorkloadsSeen } from './workloads.ts'

export type StalePod = SeenPod & { readonly stale: Stale }

export type Verdict =
  | { readonly is: 'due' }
  /** The owner is replacing Pods, or may recover without a restart. */
  | { readonly is: 'settling' }
  | { readonly is: 'stuck'; readonly why: string }

export type Owned = {
  readonly owner: PodOwner
  readonly pods: readonly StalePod[]
}

export type Judging = {
  readonly workloads: WorkloadsSeen
  /** The creation time of the newest Pod by the uid of its owner. Contains only Pods created recently. */
  readonly newestPods: ReadonlyMap<string, number>
  /** When the status noted the wanted state. Owners restarted later need no restart. All times are unix seconds. */
  readonly since: number
  readonly now: number
}

type Row = { readonly when: (owned: Owned, judging: Judging) => boolean; readonly is: Verdict['is'] }

const rows: readonly Row[] = [
  { when: ({ owner }) => owner.action.does === 'nothing', is: 'stuck' },
  { when: (...about) => isUnderWay(...about) && wasBusyLately(...about), is: 'settling' },
  { when: isUnderWay, is: 'stuck' },
  { when: ({ pods }, { now }) => pods.every(({ stale }) => mayBeStarting(stale, now)), is: 'settling' },
  { when: () => true, is: 'due' },
]

export const verdictOn = (owned: Owned, judging: Judging): Verdict => {
  const { is } = firstRow(rows, owned, judging)
  const { action } = owned.owner
  return is === 'stuck' ? { is, why: action.does === 'nothing' ? action.why : incurable } : { is }
}

const incurable = 'pod sidecar is still outdated after a restart, or its owner does not replace pods.'

function isUnderWay(owned: Owned, judging: Judging): boolean {
  return isRolling(owned, judging) || isDone(owned, judging)
}

const isDone = ({ owner: { action }, pods }: Owned, { since, now }: Judging): boolean => {
  if (action.does === 'roll') return (pastSecondsAt(restartedAtOf(action.workload), now) ?? 0) > since
  return pods.every(pod => madeAt(pod) > since)
}

/** A Deployment is rolling if a ReplicaSet other than the stale Pod's has unready Pods. */
const isRolling = ({ owner: { action }, pods }: Owned, { workloads }: Judging): boolean => {
  if (action.does !== 'roll') return false
  const { workload } = action
  if (workload.kind !== 'Deployment') return workload.isRolling ?? false
  const rolling = workloads.madeBy(workload).filter(one => one.isRolling)
  return pods.some(pod => rolling.some(({ metadata }) => metadata.uid !== pod.owner?.uid))
}

const wasBusyLately = (owned: Owned, judging: Judging): boolean =>
  judging.now - newestOf(owned, judging) < settleSeconds

/** The creation time of the newest object that a restart of the owner creates: a ReplicaSet, ControllerRevision or Pod. */
const newestOf = ({ owner: { action }, pods }: Owned, { workloads, newestPods, now }: Judging): number => {
  const workload: KubeObject | undefined = action.does === 'roll' ? action.workload : undefined
  const made: readonly SeenWorkload[] = workload ? workloads.madeBy(workload) : []
  const makers = new Set([
    workload?.metadata.uid,
    ...made.map(({ metadata }) => metadata.uid),
    ...pods.map(({ owner }) => owner?.uid),
  ])
  return Math.max(
    (workload && pastSecondsAt(restartedAtOf(workload), now)) ?? 0,
    ...made.map(madeAt),
    ...[...makers].map(uid => newestPods.get(uid ?? '') ?? 0),
  )
}
