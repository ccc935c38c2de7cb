// Targets of restarts: what is wanted of each is noted in the status with the time since when, before anything is restarted. What was
// restarted later than that is restarted for it, whatever else became of it.
import { createHash } from 'node:crypto'
import type { IstioStatus } from '../../../../shared/api/istio.ts'
import { canonicalJson } from '../../../../shared/core/json.ts'
import { kubeTime } from '../../../../shared/core/kube-time.ts'
import { pastSecondsAt, secondsOf } from './times.ts'

type RestartNote = NonNullable<IstioStatus['restarts']>[number]
export type RestartTarget = RestartNote['target']

/** Where a target stands. */
export type Noted =
  /** To be noted first. */
  | { readonly is: 'new'; readonly note: RestartNote }
  /** Noted in this very second, so a restart could not be told from one before. */
  | { readonly is: 'fresh' }
  | { readonly is: 'noted'; readonly since: number }

type Wanted = { readonly target: RestartTarget; readonly wanted: unknown }

export const notedTarget = (status: IstioStatus | undefined, { target, wanted }: Wanted, now: Date): Noted => {
  const digest = createHash('sha256').update(canonicalJson(wanted)).digest('hex').slice(0, 16)
  const before = status?.restarts?.find(note => note.target === target)
  const since = before?.digest === digest ? pastSecondsAt(before.since, secondsOf(now)) : undefined
  if (since === undefined) return { is: 'new', note: { target, digest, since: kubeTime(now) } }
  return since < secondsOf(now) ? { is: 'noted', since } : { is: 'fresh' }
}
