// Admission: the namespace's life, the cluster's own rules, policies and the configured webhooks, in the API server's order.
import type { KubeObject } from '../../core/objects/object.ts'
import { chargeQuotas } from '../quota/charge.ts'
import type { AdmissionParts, Attributes } from './attributes.ts'
import { refuseImmortal, requireNamespace } from './namespace-life.ts'
import { mutatedByPolicies } from './policies/mutating.ts'
import { validateByPolicies } from './policies/validating.ts'
import { withServiceAccount } from './service-account.ts'
import { Webhooks } from './webhooks.ts'

export type Admission = {
  /** The object as webhooks and rules want it. Throws a StatusError when it is refused. */
  mutate(attributes: Attributes & { object: KubeObject }): Promise<KubeObject>
  validate(attributes: Attributes): Promise<void>
}

export const admission = (parts: AdmissionParts): Admission => {
  const webhooks = new Webhooks(parts)
  return {
    mutate: async attributes => {
      requireNamespace(parts.store, attributes)
      const object = withServiceAccount(parts.store, attributes)
      const first = mutatedByPolicies({ ...attributes, object }, parts)
      return webhooks.mutate(
        { ...attributes, object: first.object },
        object => mutatedByPolicies({ ...attributes, object }, parts, first.again).object,
      )
    },
    validate: async attributes => {
      refuseImmortal(attributes)
      validateByPolicies(attributes, parts)
      await webhooks.validate(attributes)
      chargeQuotas(attributes, parts)
    },
  }
}
