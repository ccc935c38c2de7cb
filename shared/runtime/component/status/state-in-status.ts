// Computes the state of a component with shared/component/reported/component-state.ts, and sets the state in the status.
import { type StateReport, stateReport } from '../../../component/reported/component-state.ts'
import type { DependentsStatus } from '../../../component/reported/dependents-status.ts'
import type { PassError, PassResult } from '../../../component/reported/pass-result.ts'
import { withCondition } from '../../../core/objects/condition.ts'
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
