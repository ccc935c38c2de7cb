// Asks the API server's authorizer, as an administrator, what somebody may do.
import type { ApiClient } from '../clients/api.ts'

export type Question = {
  readonly user: string
  readonly groups?: readonly string[]
  readonly resourceAttributes: {
    readonly verb: string
    readonly group: string
    readonly resource: string
    readonly subresource?: string
    readonly namespace?: string
    readonly name?: string
  }
}

/** Whether the user may do it, according to the roles and bindings that the authorizer has seen so far. */
export const mayDo = async (api: ApiClient, spec: Question): Promise<boolean> => {
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec }
  const reply = await api.call('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { body })
  return reply.body.status?.allowed === true
}
