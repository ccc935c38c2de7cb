// Groups stale Pods by owner, page by page, until there are enough owners for one call, and decides what happens to each owner. An owner is
// restarted once per wanted state. If Pods are still stale after the restart, the owner is reported as stuck and not restarted again.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import { firstRow } from '../../../../shared/core/decisions/checks.ts'
import { keptOrMade } from '../../../../shared/core/memory/remembered.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { RestartCause } from '../../reasons.ts'
import { type PodOwner, podOwner, restartedAtOf, type SeenWorkload, WorkloadsSeen } from './pod-owners.ts'
import { madeAt, pastSecondsAt, settleSeconds } from './restart-notes.ts'
import { mayBeStarting, type SeenPod, type Stale } from './stale-pod.ts'

export type DueRestart = {
  readonly owner: PodOwner
  readonly cause: RestartCause
  /** The oldest stale Pod. A restart by deletion deletes this Pod. */
  readonly pod: StalePod
}

/** An owner that cannot be restarted, or that still has stale Pods after a restart. */
export type StuckOwner = { readonly owner: PodOwner; readonly why: string }

export type Survey = {
  /** Owners to restart. Owners in Kyma's namespaces come first. */
  readonly due: readonly DueRestart[]
  readonly stuck: readonly StuckOwner[]
  /** Some owners are replacing Pods, or may recover without a restart. */
  readonly isSettling: boolean
  /** More calls are needed: not all Pods were read, there are more owners than the limit, or an owner has more Pods to delete. */
  readonly isCutShort: boolean
}

/** The uid of the Pod that the restart deletes. undefined: the restart deletes no single Pod. */
export const deletedPod = ({ owner, pod }: DueRestart): string | undefined =>
  owner.action.does === 'delete' ? pod.metadata.uid : undefined

/** Identifies a restart: the deleted Pod, otherwise the owner. Repeated attempts have the same id. */
export const restartId = (restart: DueRestart): string => deletedPod(restart) ?? restart.owner.id

const refusedBefore = 'pod sidecar could not be updated because an earlier restart was refused.'

/** Kyma's namespaces; their workloads come first. A label would not be reliable, because any user can set a label on a Pod. */
export const firstNamespaces: readonly string[] = Object.values(istioNames.namespaces)

const ownersMost = 30

/** The owners that this call tried to restart, each with the uid of the deleted Pod, if any. */
export type RestartsTried = Map<string, string | undefined>

export type SurveyBegun = Pick<Judging, 'since' | 'now'> & {
  readonly tried: Readonly<RestartsTried>
  /** Whether an earlier call tried this restart (restartId) without effect. Such restarts come last. */
  readonly wasRefused: (id: string) => boolean
  readonly isGivenUp: (id: string) => boolean
}

type OwnedSeen = {
  readonly owner: PodOwner
  readonly pods: StalePod[]
  /** The oldest Pod that is neither new nor starting. */
  oldest?: StalePod
}

export class PodSurvey {
  readonly #begun: SurveyBegun
  readonly #workloads = new WorkloadsSeen()
  readonly #newestPods = new Map<string, number>()
  readonly #pods = new Set<string>()
  readonly #owned = new Map<string, OwnedSeen>()
  readonly #counted = new Set<string>()

  constructor(begun: SurveyBegun) {
    this.#begun = begun
  }

  /** Adds a page of Pods. The workloads in the namespaces of these Pods must be added first. */
  add(pods: readonly SeenPod[]): void {
    const touched = new Map<string, OwnedSeen>()
    for (const pod of pods) {
      this.#notePod(pod)
      if (!isStale(pod) || this.#pods.has(pod.metadata.uid ?? '')) continue
      this.#pods.add(pod.metadata.uid ?? '')
      const owned = this.#ownedOf(pod)
      owned.pods.push(pod)
      if (this.#isOlder(pod, owned.oldest)) owned.oldest = pod
      touched.set(owned.owner.id, owned)
    }
    for (const [id, owned] of touched) if (this.#counts(owned)) this.#counted.add(id)
  }

  addWorkloads(workloads: readonly SeenWorkload[]): void {
    this.#workloads.add(workloads)
  }

  get isFull(): boolean {
    return this.#counted.size >= ownersMost
  }

  /** `isThrough`: all Pods were read. */
  result(isThrough: boolean): Survey {
    const judged = [...this.#owned.values()].map(owned => ({ ...owned, verdict: this.#verdict(owned) }))
    const due = judged.filter(({ verdict }) => verdict.is === 'due').map(owned => this.#restart(owned))
    const { tried } = this.#begun
    const fresh = due.filter(({ owner }) => !tried.has(owner.id)).toSorted((a, b) => this.#rank(a) - this.#rank(b))
    const room = Math.max(ownersMost - tried.size, 0)
    const [chosen, others] = [fresh.slice(0, room), fresh.slice(room)]
    const refused = fresh.every(restart => this.#wasRefused(restart)) ? others : []
    return {
      // A failed restart is tried again to report its error, because errors are not kept between passes.
      due: [...due.filter(({ owner }) => tried.has(owner.id)), ...chosen],
      stuck: [
        ...judged.flatMap(({ owner, verdict }) => (verdict.is === 'stuck' ? [{ owner, why: verdict.why }] : [])),
        ...refused.map(({ owner }) => ({ owner, why: refusedBefore })),
      ],
      isSettling: judged.some(({ verdict }) => verdict.is === 'settling'),
      isCutShort: !isThrough || others.length > refused.length || judged.some(owned => this.#hasMorePods(owned)),
    }
  }

  #rank(restart: DueRestart): number {
    const isFirst = firstNamespaces.includes(restart.owner.key.namespace)
    return (isFirst ? 0 : 2) + (this.#wasRefused(restart) ? 1 : 0)
  }

  #wasRefused(restart: DueRestart): boolean {
    return this.#begun.wasRefused(restartId(restart))
  }

  #counts(owned: OwnedSeen): boolean {
    if (this.#begun.tried.has(owned.owner.id)) return true
    return this.#verdict(owned).is === 'due' && !this.#wasRefused(this.#restart(owned))
  }

  #verdict(owned: OwnedSeen): Verdict {
    const { since, now, isGivenUp } = this.#begun
    if (this.#hasLostPod(owned)) return { is: 'settling' }
    const verdict = verdictOn(owned, { workloads: this.#workloads, newestPods: this.#newestPods, since, now })
    const isOver = verdict.is === 'due' && isGivenUp(restartId(this.#restart(owned)))
    return isOver ? { is: 'stuck', why: refusedBefore } : verdict
  }

  /** Whether this call deleted a Pod of the owner. */
  #hasLostPod({ owner, pods }: Owned): boolean {
    const deleted = this.#begun.tried.get(owner.id)
    return deleted !== undefined && !pods.some(({ metadata }) => metadata.uid === deleted)
  }

  /** Whether the next call deletes another Pod. */
  #hasMorePods(owned: OwnedSeen): boolean {
    return this.#hasLostPod(owned) && owned.oldest !== undefined
  }

  #isOlder(pod: StalePod, oldest: StalePod | undefined): boolean {
    const { since, now } = this.#begun
    const [made, before] = [madeAt(pod), oldest ? madeAt(oldest) : Number.POSITIVE_INFINITY]
    return made <= since && made < before && !mayBeStarting(pod.stale, now)
  }

  #restart({ owner, pods, oldest }: OwnedSeen): DueRestart {
    const first = oldest ?? pods[0]
    if (first === undefined) throw new TypeError('an owner without stale Pods is not restarted')
    return { owner, cause: first.stale.cause, pod: first }
  }

  #notePod(pod: KubeObject & Pick<SeenPod, 'owner'>): void {
    const uid = pod.owner?.uid
    if (uid !== undefined && showsProgress(pod, this.#begun.now))
      this.#newestPods.set(uid, Math.max(madeAt(pod), this.#newestPods.get(uid) ?? 0))
  }

  #ownedOf(pod: StalePod): OwnedSeen {
    const owner = podOwner(pod, this.#workloads)
    return keptOrMade(this.#owned, owner.id, () => ({ owner, pods: [] }))
  }
}

/** Whether a Pod is so new that its owner is replacing Pods. `now`: unix seconds. */
export const showsProgress = (pod: KubeObject, now: number): boolean => now - madeAt(pod) < settleSeconds

export const isStale = (pod: SeenPod): pod is StalePod => pod.stale !== undefined

type StalePod = SeenPod & { readonly stale: Stale }

type Verdict =
  | { readonly is: 'due' }
  /** The owner is replacing Pods, or may recover without a restart. */
  | { readonly is: 'settling' }
  | { readonly is: 'stuck'; readonly why: string }

type Owned = {
  readonly owner: PodOwner
  readonly pods: readonly StalePod[]
}

type Judging = {
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

const verdictOn = (owned: Owned, judging: Judging): Verdict => {
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
