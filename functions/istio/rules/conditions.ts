// The conditions of an Istio after a pass. Those that nobody spoke of stay as they are.

import { type Condition, conditionLimits, withCondition } from '../../../shared/core/condition.ts'
import { shortened } from '../../../shared/core/text.ts'
import { type IstioReason, istioReasons } from '../reasons.ts'

/** A reason names its condition and the status of it. */
export type ConditionNote = { readonly reason: IstioReason; readonly detail?: string }

type Known = readonly Pick<Condition, 'type' | 'status' | 'reason' | 'message' | 'lastTransitionTime'>[]

export const istioConditions = (before: Known, notes: readonly ConditionNote[], now: Date): readonly Condition[] =>
  notes.reduce<readonly Condition[]>(
    (conditions, { reason, detail }) => {
      const { type, status, message } = istioReasons[reason]
      const known = conditions.map(one => (one.type === type && one.reason !== reason ? { ...one, status: '' } : one))
      return withCondition(known, { type, status, reason, message: withDetail(message, detail) }, now)
    },
    before as readonly Condition[],
  )

/** A new reason counts as a transition, as the Kyma Istio module has it: hence the status that is forgotten above. */
const withDetail = (message: string, detail: string | undefined): string =>
  detail === undefined ? message : shortened(conditionLimits.message, `${message}: ${detail}`)
