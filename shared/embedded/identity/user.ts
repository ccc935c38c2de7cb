// Users, and an identity that is given to a server from outside.
import type { Server } from 'node:https'
import type { Credentials } from './authority.ts'
import type { AccountKeys, Tokens } from './tokens.ts'

export type User = {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

export const authenticated = (user: User): User => ({
  ...user,
  groups: [...new Set([...user.groups, 'system:authenticated'])],
})

export const admin: User = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] }

/** The user in the format of reviews: `userInfo` of AdmissionReview, `user` of TokenReview. */
export const userInfo = (user: User): Record<string, unknown> => ({
  username: user.name,
  ...(user.uid && { uid: user.uid }),
  groups: user.groups,
  ...(user.extra && Object.keys(user.extra).length > 0 && { extra: user.extra }),
})

/**
 * An external identity for an API server: certificate, client authorities, keys and static tokens, in the file formats of a kube-apiserver.
 * The identity may change while the server runs, as in a rolling update.
 */
export type GivenIdentity = {
  /** PEM. The authority may follow the certificate. */
  readonly serving: Credentials
  readonly clientAuthorities: string
  readonly accountKeys: AccountKeys
  /** Lines as in kube-apiserver's file: `token,user,uid,"group,group"`. */
  readonly staticTokens: string
}

type Parts = { readonly server: Server; readonly tokens: Tokens; readonly plainTokens: Map<string, User> }

/** Returns a function that uses a new identity and invalidates the tokens of the previous one. */
export const identityTaker = ({ server, tokens, plainTokens }: Parts): ((given: GivenIdentity) => void) => {
  let former: readonly string[] = []
  return ({ serving: { cert, key }, clientAuthorities: ca, accountKeys, staticTokens }) => {
    server.setSecureContext({ cert, key, ca })
    tokens.useKeys(accountKeys)
    for (const token of former) plainTokens.delete(token)
    const users = staticUsers(staticTokens)
    for (const [token, user] of users) plainTokens.set(token, user)
    former = users.map(([token]) => token)
    // Connected clients must send their certificate again.
    server.closeIdleConnections()
  }
}

const staticUsers = (csv: string): [token: string, user: User][] =>
  csv
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => {
      const [token = '', name = '', uid = '', ...groups] = line.split(',').map(part => part.replaceAll('"', '').trim())
      return [token, authenticated({ name, uid, groups: groups.filter(group => group !== '') })]
    })
