// Asks the API server about users: TokenReview and SubjectAccessReview.
import type { Client } from './client-types.ts'

export type ReviewedUser = {
  readonly username: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

type TokenStatus = { authenticated?: boolean; audiences?: string[]; user?: Partial<ReviewedUser> }

/** The user of a token for this audience; undefined when the token is invalid or for another audience. */
export const reviewedUser = async (
  client: Pick<Client, 'raw'>,
  { token, audience }: { readonly token: string; readonly audience: string },
): Promise<ReviewedUser | undefined> => {
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token, audiences: [audience] },
  }
  const path = '/apis/authentication.k8s.io/v1/tokenreviews'
  const { status } = (await client.raw({ method: 'POST', path, body })) as { status?: TokenStatus }
  const isProven = status?.authenticated === true && status.audiences?.includes(audience)
  return isProven ? { ...status?.user, username: status?.user?.username ?? '' } : undefined
}

/** `namespace`: absent or '' for all namespaces and for cluster-scoped kinds. */
export type AccessQuestion = {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource?: string | undefined
  readonly namespace?: string | undefined
  readonly name?: string | undefined
}

export const isAllowed = async (
  client: Pick<Client, 'raw'>,
  { username, uid, groups, extra }: ReviewedUser,
  resourceAttributes: AccessQuestion,
): Promise<boolean> => {
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user: username, uid, groups, extra, resourceAttributes },
  }
  const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
  const { status } = (await client.raw({ method: 'POST', path, body })) as { status?: { allowed?: boolean } }
  return status?.allowed === true
}
