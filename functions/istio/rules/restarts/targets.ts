// Targets of restarts: what is wanted of each is noted in the status with the time since when, before anything is restarted. What was
// restarted later than that is restarted for it, whatever else became of it. A note also says since when fields are changing: whoever
// takes a change back before it is in force everywhere leaves proxies behind that have begun with it.

import type { IstioStatus } from '../../../../shared/api/istio.ts'
import { sha256Hex } from '../../../../shared/core/digest.ts'
import { canonicalJson } from '../../../../shared/core/json.ts'
import { kubeTime } from '../../../../shared/core/kube-time.ts'
import { pastSecondsAt, secondsAt, secondsOf } from './times.ts'

export type RestartNote = NonNullable<IstioStatus['restarts']>[number]
export type RestartTarget = RestartNote['target']

/** Where a target stands. */
export type Noted =
  /** To be noted first. */
  | { readonly is: 'new'; readonly note: RestartNote }
  /** Noted in this very second, so a restart could not be told from one before. */
  | { readonly is: 'fresh' }
  | { readonly is: 'noted'; readonly since: number; readonly ended?: EndedChange }

/** Nothing is restarted for it in this pass. */
export type UnnotedTarget = Exclude<Noted, { is: 'noted' }>

/** A change of fields that is in force, or was taken back. */
export type EndedChange = {
  /** When it began, in seconds. */
  readonly begunAt: number
  /** What is noted when nothing is left to be restarted for it. */
  readonly over: RestartNote
}

type Wanted = {
  readonly target: RestartTarget
  readonly wanted: unknown
  /** Whether fields of the target are wanted otherwise than they are in force. */
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
  return { is: 'noted', since, ...(!isChanging && endedChange(before)) }
}

const endedChange = ({ changingSince, ...over }: RestartNote): { readonly ended?: EndedChange } =>
  changingSince === undefined ? {} : { ended: { begunAt: secondsAt(changingSince) ?? 0, over } }
