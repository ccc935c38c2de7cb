// Targets of restarts: sidecars, ingress gateway, control plane. Before anything is restarted, the status notes a digest of what is
// wanted of the target, and since when (`since`). A workload restarted after `since` need not be restarted again. The note also says
// since when fields are changing (`changingSince`): if somebody takes a change back half-way, the proxies that started with it are
// restarted.
import type { IstioStatus } from '../../../../shared/api/istio.ts'
import { sha256Hex } from '../../../../shared/core/digest.ts'
import { canonicalJson } from '../../../../shared/core/json/json.ts'
import { kubeTime } from '../../../../shared/core/time/kube-time.ts'
import { pastSecondsAt, secondsOf } from './restart-times.ts'

export type RestartNote = NonNullable<IstioStatus['restarts']>[number]
export type RestartTarget = RestartNote['target']

/** Whether the status has a note of what is wanted of a target now. */
export type Noted =
  /** The status must get this note before anything is restarted. */
  | { readonly is: 'new'; readonly note: RestartNote }
  /** Noted in this very second: a restart now could not be distinguished from one before the note. */
  | { readonly is: 'fresh' }
  | { readonly is: 'noted'; readonly since: number; readonly ended?: EndedChange }

/** Nothing is restarted for it in this pass. */
export type UnnotedTarget = Exclude<Noted, { is: 'noted' }>

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
  const before = status?.restarts?.find(note => note.target === target)
  const since = before?.digest === digest ? pastSecondsAt(before.since, secondsOf(now)) : undefined
  if (before === undefined || since === undefined) {
    const changingSince = before?.changingSince ?? (isChanging ? kubeTime(now) : undefined)
    return { is: 'new', note: { target, digest, since: kubeTime(now), ...(changingSince && { changingSince }) } }
  }
  if (since >= secondsOf(now)) return { is: 'fresh' }
  return { is: 'noted', since, ...(!isChanging && endedChange(before, now)) }
}

const endedChange = ({ changingSince, ...over }: RestartNote, now: Date): { readonly ended?: EndedChange } =>
  changingSince === undefined ? {} : { ended: { begunAt: pastSecondsAt(changingSince, secondsOf(now)) ?? 0, over } }
