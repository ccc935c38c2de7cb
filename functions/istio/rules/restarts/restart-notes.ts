// Notes in the status about restart targets: sidecars, ingress gateway, control plane. Before a restart, the status notes a digest of the
// target's wanted state and the time (`since`). Workloads restarted later need no further restart. `changingSince` is the start of a change
// of fields. If a change was reverted, `changingSince` shows which proxies may have started with the change.
import type { IstioStatus } from '../../../../shared/api/istio.ts'
import { sha256Hex } from '../../../../shared/core/digest.ts'
import { canonicalJson } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { kubeTime, skewSeconds } from '../../../../shared/core/time/kube-time.ts'

export type RestartNote = NonNullable<IstioStatus['restarts']>[number]
export type RestartTarget = RestartNote['target']

/** The current note of a target, and whether the status has it. */
export type Noted = {
  /** `new`: the status must get the note before any restart. */
  readonly is:
    | 'new'
    /** The note was written in this second. A restart now would look like a restart before the note. */
    | 'fresh'
    | 'noted'
  readonly note: RestartNote
  /** The time of the note in unix seconds. */
  readonly since: number
  /** The status has no earlier note of the target's wanted state. */
  readonly isFirst?: true
  readonly ended?: EndedChange
}

export type NamedRestarts = {
  readonly noted: Noted
  /** Workloads that need a restart after the status has the note. */
  readonly due: readonly KubeObject[]
}

/** A change of fields that is in force or was reverted. */
export type EndedChange = {
  /** The start of the change in unix seconds. */
  readonly begunAt: number
  /** The note without the change. It replaces the current note when no workload is left to restart. */
  readonly over: RestartNote
}

type Wanted = {
  readonly target: RestartTarget
  readonly wanted: unknown
  /** The target's fields in the spec are not in force yet. */
  readonly isChanging: boolean
}

export const notedTarget = (
  status: IstioStatus | undefined,
  { target, wanted, isChanging }: Wanted,
  now: Date,
): Noted => {
  const digest = sha256Hex(canonicalJson(wanted)).slice(0, 16)
  const before = noteOf(status, target)
  const since = before?.digest === digest ? pastSecondsAt(before.since, secondsOf(now)) : undefined
  if (before === undefined || since === undefined) {
    const changingSince = before?.changingSince ?? (isChanging ? kubeTime(now) : undefined)
    const note = { target, digest, since: kubeTime(now), ...(changingSince && { changingSince }) }
    const ended = !isChanging && endedChange(note, now)
    return { is: 'new', note, since: secondsOf(now), ...(!before?.digest && { isFirst: true }), ...ended }
  }
  const is = since >= secondsOf(now) ? 'fresh' : 'noted'
  return { is, note: before, since, ...(!isChanging && endedChange(before, now)) }
}

export const noteOf = (status: IstioStatus | undefined, target: RestartTarget): RestartNote | undefined =>
  status?.restarts?.find(note => note.target === target)

const endedChange = ({ changingSince, ...over }: RestartNote, now: Date): { readonly ended?: EndedChange } =>
  changingSince === undefined ? {} : { ended: { begunAt: pastSecondsAt(changingSince, secondsOf(now)) ?? 0, over } }

// Times are whole unix seconds, like times in Kubernetes objects. Two events in the same second have no known order.

/** A rollout that creates no Pod for this time, or a sidecar that is starting for this time, counts as stuck. */
export const settleSeconds = 600

export const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1000)

export const secondsAt = (text: unknown): number | undefined => {
  const milliseconds = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000)
}

export const madeAt = ({ metadata }: KubeObject): number => secondsAt(metadata.creationTimestamp) ?? 0

/** Like secondsAt, but undefined for a time in the future, which must be wrong. */
export const pastSecondsAt = (text: unknown, now: number): number | undefined => {
  const seconds = secondsAt(text)
  return seconds !== undefined && seconds <= now + skewSeconds ? seconds : undefined
}
