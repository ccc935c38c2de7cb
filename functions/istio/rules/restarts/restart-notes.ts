// Targets of restarts: sidecars, ingress gateway, control plane. Before anything is restarted, the status notes a digest of what is
// wanted of the target, and since when (`since`). A workload restarted after `since` need not be restarted again. The note also says
// since when fields are changing (`changingSince`): if somebody takes a change back half-way, the proxies that started with it are
// restarted.
import type { IstioStatus } from '../../../../shared/api/istio.ts'
import { sha256Hex } from '../../../../shared/core/digest.ts'
import { canonicalJson } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { kubeTime, skewSeconds } from '../../../../shared/core/time/kube-time.ts'

export type RestartNote = NonNullable<IstioStatus['restarts']>[number]
export type RestartTarget = RestartNote['target']

/** The note of what is wanted of a target now, and whether the status has it. */
export type Noted = {
  readonly is: /** The status must get the note before anything is restarted. */
    | 'new'
    /** Noted in this very second: a restart now could not be distinguished from one before the note. */
    | 'fresh'
    | 'noted'
  readonly note: RestartNote
  /** In seconds. */
  readonly since: number
  /** The status never noted what is wanted of the target. */
  readonly isFirst?: true
  readonly ended?: EndedChange
}

export type NamedRestarts = {
  readonly noted: Noted
  /** The workloads that need a restart. Nothing is restarted before the status has the note. */
  readonly due: readonly KubeObject[]
}

/** A change of fields that is in force, or was taken back. */
export type EndedChange = {
  /** When it began, in seconds. */
  readonly begunAt: number
  /** The note without the change: it replaces the note when nothing is left to restart. */
  readonly over: RestartNote
}

type Wanted = {
  readonly target: RestartTarget
  readonly wanted: unknown
  /** The spec's fields for this target differ from those that are in force. */
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

// Times are in whole unix seconds: times in Kubernetes objects are no finer, so nobody knows which of two in the same second came first.

/** How long a rollout may show no new Pod, or a sidecar may be starting, before that counts as stuck. */
export const settleSeconds = 600

export const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1000)

/** undefined: the text is no time. */
export const secondsAt = (text: unknown): number | undefined => {
  const milliseconds = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000)
}

export const madeAt = ({ metadata }: KubeObject): number => secondsAt(metadata.creationTimestamp) ?? 0

/** Like secondsAt, but undefined for a time in the future, which somebody must have made up. */
export const pastSecondsAt = (text: unknown, now: number): number | undefined => {
  const seconds = secondsAt(text)
  return seconds !== undefined && seconds <= now + skewSeconds ? seconds : undefined
}
