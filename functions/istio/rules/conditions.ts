// The conditions of an Istio after a pass. Conditions without a note stay unchanged.
import { type Condition, conditionLimits, withCondition } from '../../../shared/core/objects/condition.ts'
import { shortened } from '../../../shared/core/text/text.ts'
import { type IstioReason, istioReasons } from '../reasons.ts'

/** The reason determines type and status. */
export type ConditionNote = { readonly reason: IstioReason; readonly detail?: string }

type Known = readonly Pick<Condition, 'type' | 'status' | 'reason' | 'message' | 'lastTransitionTime'>[]

/**
 * A new reason counts as a transition even if the status stays the same, as in the Kyma Istio module. The old status is removed, so that
 * withCondition sees a transition.
 */
export const istioConditions = (before: Known, notes: readonly ConditionNote[], now: Date): readonly Condition[] =>
  notes.reduce<readonly Condition[]>(
    (conditions, { reason, detail }) => {
      const { type, status, message } = istioReasons[reason]
      const known = conditions.map(one => (one.type === type && one.reason !== reason ? { ...one, status: '' } : one))
      return withCondition(known, { type, status, reason, message: withDetail(message, detail) }, now)
    },
    before as readonly Condition[],
  )

const withDetail = (message: string, detail: string | undefined): string =>
  detail === undefined ? message : shortened(conditionLimits.message, `${message}: ${detail}`)
