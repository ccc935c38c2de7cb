// Makes the first status of a new or changed component. Example: a Secret in valuesFrom changes: revision 3 becomes 4, and the timeout
// restarts.
import { isDeleting } from '../../../core/objects/object.ts'
import { kubeTime } from '../../../core/time/kube-time.ts'
import type { ComponentView } from '../world.ts'
import { type EngineStatus, isReadyCondition } from './engine-status.ts'
import { stateFor, withState } from './state-in-status.ts'

export const entered = (subject: ComponentView, digest: string, now: Date): EngineStatus =>
  counted(subject, isDeleting(subject.component) ? subject.status : seen(subject, now), { digest, now })

const seen = (subject: ComponentView, now: Date): EngineStatus => {
  const { status } = subject
  if (status.state !== undefined) return status
  const input = { now, status, hasStatus: false }
  return withState(subject, stateFor(subject, input), input)
}

type Entry = { readonly digest: string; readonly now: Date }

const counted = (subject: ComponentView, status: EngineStatus, { digest, now }: Entry): EngineStatus => {
  if (status.lastProcessingDigest === digest) return { ...status, processingDigest: digest }
  const begun: EngineStatus = {
    ...status,
    processingDigest: digest,
    lastProcessingDigest: digest,
    processingSince: undefined,
    revision: (status.revision ?? 0) + 1,
    revisionAt: kubeTime(now),
    conditions: status.conditions?.map(one =>
      isReadyCondition(one) ? { ...one, lastTransitionTime: kubeTime(now) } : one,
    ),
  }
  const isRestarted = status.lastProcessingDigest !== undefined && !isDeleting(subject.component)
  if (!isRestarted) return begun
  const input = { now, status: begun, isRestarted }
  return withState(subject, stateFor(subject, input), input)
}
