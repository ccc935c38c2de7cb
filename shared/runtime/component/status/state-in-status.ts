// Computes the state of a component with shared/component/reported/component-state.ts, and sets the state in the status. Also makes the first
// status of a new or changed component.
import {
  type PassError,
  type PassResult,
  type StateReport,
  stateReport,
} from '../../../component/reported/component-state.ts'
import type { DependentsStatus } from '../../../component/reported/dependents-status.ts'
import { withCondition } from '../../../core/objects/condition.ts'
import { isDeleting } from '../../../core/objects/object.ts'
import { kubeTime } from '../../../core/time/kube-time.ts'
import { discreet } from '../references/secrecy.ts'
import type { ComponentView } from '../world.ts'
import { type EngineStatus, isReadyCondition } from './engine-status.ts'

/** `status`: the status of this pass without the state. */
type StateInput = Partial<Pick<PassResult, 'hasStatus' | 'isSuspended' | 'isRestarted'>> & {
  readonly now: Date
  readonly status: EngineStatus
  readonly dependents?: DependentsStatus
  readonly error?: PassError
}

/** The message quotes no Secret. */
export const stateFor = (subject: ComponentView, input: StateInput): StateReport => {
  const state = indiscreetState(subject, input)
  return { ...state, message: discreet(state.message, subject) }
}

const indiscreetState = (
  { object, component, configuration }: ComponentView,
  { status, ...input }: StateInput,
): StateReport =>
  stateReport({
    hasStatus: true,
    isSuspended: false,
    isRestarted: false,
    ...input,
    uid: object.metadata.uid ?? '',
    deletionTimestamp: component.metadata.deletionTimestamp,
    processingSince: status.processingSince ?? '',
    before: status.conditions?.find(isReadyCondition),
    requeueSeconds: configuration?.requeueSeconds ?? 600,
    retrySeconds: configuration?.retrySeconds ?? 600,
    timeoutSeconds: configuration?.timeoutSeconds ?? 600,
  })

export const withState = (
  { component }: ComponentView,
  state: StateReport,
  { now, status }: StateInput,
): EngineStatus => {
  const { ready, reason, message } = state
  const { generation } = component.metadata
  return {
    ...status,
    state: state.state,
    conditions: withCondition(status.conditions ?? [], { type: 'Ready', status: ready, reason, message }, now),
    observedGeneration: generation,
    ...(state.state === 'Ready' && { appliedGeneration: generation }),
  }
}

/** Example: a Secret in valuesFrom changes: revision 3 becomes 4, and the timeout restarts. */
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
