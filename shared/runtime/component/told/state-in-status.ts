// The engine's table of states (shared/component/told/component-state.ts), fed with what is known of a component, and its answer as a status.

import { type StateReport, stateOf } from '../../../component/told/component-state.ts'
import type { Standing } from '../../../component/told/dependents-status.ts'
import type { Situation, Trouble } from '../../../component/told/pass-result.ts'
import { withCondition } from '../../../core/condition.ts'
import { discreet } from '../references/secrecy.ts'
import type { Subject } from '../world.ts'
import { type EngineStatus, isReady } from './engine-status.ts'

/** `status`: as it is now to be written, but for what the state says. */
export type Told = Partial<Pick<Situation, 'hasStatus' | 'isSuspended' | 'isRestarted'>> & {
  readonly now: Date
  readonly status: EngineStatus
  readonly standing?: Standing
  readonly trouble?: Trouble
}

export const stateFor = (subject: Subject, told: Told): StateReport => {
  const state = stateTold(subject, told)
  return { ...state, message: discreet(state.message, subject) }
}

const stateTold = ({ object, component, configuration }: Subject, { status, ...told }: Told): StateReport =>
  stateOf({
    ...{ hasStatus: true, isSuspended: false, isRestarted: false, ...told },
    uid: object.metadata.uid ?? '',
    deletionTimestamp: component.metadata.deletionTimestamp,
    processingSince: status.processingSince ?? '',
    before: status.conditions?.find(isReady),
    requeueSeconds: configuration?.requeueSeconds ?? 600,
    retrySeconds: configuration?.retrySeconds ?? 600,
    timeoutSeconds: configuration?.timeoutSeconds ?? 600,
  })

/** The status with the state, its condition, and the generation of which it tells. */
export const withState = ({ component }: Subject, state: StateReport, { now, status }: Told): EngineStatus => {
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
