// Looks at Pods page by page, keeps those that are stale by their owner, and tells when enough is known for one call.
import type { KubeObject } from '../../../../shared/core/object.ts'
import type { RestartCause } from '../../reasons.ts'
import { type PodOwner, podOwner } from './owners.ts'
import { isOfKyma, mayBeStarting, type SeenPod } from './stale-pod.ts'
import { madeAt, settleSeconds } from './times.ts'
import { type Judging, type Owned, type StalePod, type Verdict, verdictOn } from './verdict.ts'
import { type SeenWorkload, WorkloadsSeen } from './workloads.ts'

/** An owner whose Pods are to be restarted now. */
export type DueRestart = {
  readonly owner: PodOwner
  readonly cause: RestartCause
  readonly isOfKyma: boolean
  /** Where Pods are deleted: the one to delete. */
  readonly pod: StalePod
}

/** An owner that nobody can restart, or whose restart cures nothing. */
export type StuckOwner = { readonly owner: PodOwner; readonly isOfKyma: boolean; readonly why: string }

export type Survey = {
  /** Those of Kyma first. */
  readonly due: readonly DueRestart[]
  readonly stuck: readonly StuckOwner[]
  /** Some owners are being restarted, or may be cured without us. */
  readonly isSettling: boolean
  /** There are Pods that were not looked at, or owners beyond the limit. */
  readonly isCutShort: boolean
}

/** Workloads of Kyma go alone; where they fail, or nobody can restart them, the others wait. */
export const dueNow = ({ due, stuck }: Survey): readonly DueRestart[] => {
  const isFirst = [...due, ...stuck].some(({ isOfKyma }) => isOfKyma)
  return isFirst ? due.filter(({ isOfKyma }) => isOfKyma) : due
}

/** So many owners are restarted in a call. */
const ownersMost = 30

/** Owners that a call tried to restart so far, and the Pods that it would have deleted for it. */
export type RestartsTried = Map<string, string | undefined>

export type SurveyBegun = Pick<Judging, 'since' | 'now'> & {
  /** In earlier passes of this call. */
  readonly tried: Readonly<RestartsTried>
  /** Whether a restart was tried in vain in an earlier call: then others come first. */
  readonly wasRefused: (id: string) => boolean
}

export class PodSurvey {
  readonly #begun: SurveyBegun
  readonly #workloads = new WorkloadsSeen()
  readonly #newestPods = new Map<string, number>()
  readonly #pods = new Set<string>()
  readonly #owned = new Map<string, { owner: PodOwner; pods: StalePod[] }>()
  /** Owners that were restarted in this call, or are to be. */
  readonly #counted = new Set<string>()

  constructor(begun: SurveyBegun) {
    this.#begun = begun
  }

  /** The next Pods, after the workloads of their namespaces. */
  add(pods: readonly SeenPod[]): void {
    const touched = new Map<string, Owned>()
    for (const pod of pods) {
      this.#notePod(pod)
      if (!isStale(pod) || this.#pods.has(pod.metadata.uid ?? '')) continue
      this.#pods.add(pod.metadata.uid ?? '')
      const owned = this.#ownedOf(pod)
      owned.pods.push(pod)
      touched.set(owned.owner.id, owned)
    }
    for (const [id, owned] of touched) if (this.#counts(owned)) this.#counted.add(id)
  }

  /** Those of one namespace, or of several. */
  addWorkloads(workloads: readonly SeenWorkload[]): void {
    this.#workloads.add(workloads)
  }

  /** Enough owners are to be restarted. */
  get isFull(): boolean {
    return this.#counted.size >= ownersMost
  }

  /** `isThrough`: all Pods were looked at. */
  result(isThrough: boolean): Survey {
    const judged = [...this.#owned.values()].map(owned => ({ ...owned, verdict: this.#verdict(owned) }))
    const due = judged.filter(({ verdict }) => verdict.is === 'due').map(owned => this.#restart(owned))
    const { tried } = this.#begun
    const fresh = due.filter(({ owner }) => !tried.has(owner.id)).toSorted((a, b) => this.#rank(a) - this.#rank(b))
    const chosen = fresh.slice(0, Math.max(ownersMost - tried.size, 0))
    return {
      // What failed in this call fails again: what the API server said is not kept.
      due: [...due.filter(({ owner }) => tried.has(owner.id)), ...chosen],
      stuck: judged.flatMap(({ owner, pods, verdict }) =>
        verdict.is === 'stuck' ? [{ owner, isOfKyma: pods.some(isOfKyma), why: verdict.why }] : [],
      ),
      isSettling: judged.some(({ verdict }) => verdict.is === 'settling'),
      isCutShort: !isThrough || fresh.length > chosen.length,
    }
  }

  #rank({ owner, isOfKyma }: DueRestart): number {
    return (isOfKyma ? 0 : 2) + (this.#begun.wasRefused(owner.id) ? 1 : 0)
  }

  #counts({ owner, pods }: Owned): boolean {
    const { tried, wasRefused } = this.#begun
    return tried.has(owner.id) || (this.#verdict({ owner, pods }).is === 'due' && !wasRefused(owner.id))
  }

  #verdict(owned: Owned): Verdict {
    const { since, now, tried } = this.#begun
    const deleted = tried.get(owned.owner.id)
    const isDeleted = deleted !== undefined && !owned.pods.some(({ metadata }) => metadata.uid === deleted)
    if (isDeleted) return { is: 'settling' }
    return verdictOn(owned, { workloads: this.#workloads, newestPods: this.#newestPods, since, now })
  }

  #restart({ owner, pods }: Owned): DueRestart {
    const { since, now } = this.#begun
    const old = pods.filter(pod => madeAt(pod) <= since && !mayBeStarting(pod.stale, now))
    const [first = pods[0]] = old.toSorted((one, other) => madeAt(one) - madeAt(other))
    if (first === undefined) throw new TypeError('an owner without stale Pods is not restarted')
    return { owner, cause: first.stale.cause, isOfKyma: pods.some(isOfKyma), pod: first }
  }

  #notePod(pod: KubeObject & Pick<SeenPod, 'owner'>): void {
    const uid = pod.owner?.uid
    if (uid !== undefined && showsProgress(pod, this.#begun.now))
      this.#newestPods.set(uid, Math.max(madeAt(pod), this.#newestPods.get(uid) ?? 0))
  }

  #ownedOf(pod: StalePod): { owner: PodOwner; pods: StalePod[] } {
    const owner = podOwner(pod, this.#workloads)
    const known = this.#owned.get(owner.id)
    if (known) return known
    const owned = { owner, pods: [] }
    this.#owned.set(owner.id, owned)
    return owned
  }
}

/** Whether a Pod was made so lately that it tells something of its owner. `now` is in seconds. */
export const showsProgress = (pod: KubeObject, now: number): boolean => now - madeAt(pod) < settleSeconds

export const isStale = (pod: SeenPod): pod is StalePod => pod.stale !== undefined
