// Groups stale Pods by owner, page by page, until there are enough owners for one call.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import { keptOrMade } from '../../../../shared/core/memory/remembered.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { RestartCause } from '../../reasons.ts'
import { type PodOwner, podOwner } from './owners.ts'
import { madeAt, settleSeconds } from './restart-notes.ts'
import { mayBeStarting, type SeenPod } from './stale-pod.ts'
import { type Judging, type Owned, type StalePod, type Verdict, verdictOn } from './verdict.ts'
import { type SeenWorkload, WorkloadsSeen } from './workloads.ts'

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
