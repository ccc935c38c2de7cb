// The user of a request: by a client certificate of the authority, a plain token, or a token of a service account that exists. A request
// without credentials is anonymous.
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { remembered } from '../../core/memory/remembered.ts'
import type { Store } from '../storage/store.ts'
import { fieldsAt, textAt } from '../value.ts'
import { accountOf, type TokenClaims, type Tokens } from './tokens.ts'
import { authenticated, type User } from './user.ts'

const anonymous: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] }

type TokenHolder = { readonly user: User; readonly audiences: readonly string[] }

export type Authentication = {
  /** undefined if the credentials are invalid. */
  userOf(request: IncomingMessage): User | undefined
  byToken(token: string, audiences: readonly string[]): TokenHolder | undefined
}

export const authentication = (
  store: Store,
  tokens: Tokens,
  plainTokens: ReadonlyMap<string, User>,
): Authentication => {
  const byToken = (token: string, audiences: readonly string[]): TokenHolder | undefined => {
    const plain = plainTokens.get(token)
    if (plain) return { user: plain, audiences }
    const claims = token.includes('.') ? tokens.read(token) : undefined
    const fitting = claims?.aud.filter(audience => audiences.includes(audience)) ?? []
    return claims && fitting.length && isAlive(store, claims)
      ? { user: accountUser(claims), audiences: fitting }
      : undefined
  }
  return {
    byToken,
    userOf: request => {
      const { authorization } = request.headers
      const byCertificate = certificateUser(request.socket as TLSSocket)
      if (byCertificate) return byCertificate
      if (!authorization) return anonymous
      const [scheme = '', token = ''] = authorization.split(' ')
      return scheme.toLowerCase() === 'bearer' ? byToken(token, [tokens.issuer])?.user : anonymous
    },
  }
}

const certificateUser = remembered((socket: TLSSocket): User | undefined => {
  const subject = socket.authorized ? socket.getPeerCertificate().subject : undefined
  if (!subject?.CN) return undefined
  const groups = subject.O === undefined ? [] : [subject.O].flat()
  return authenticated({ name: String(subject.CN), groups })
})

const isAlive = (store: Store, claims: TokenClaims): boolean => {
  const { namespace, name, uid } = accountOf(claims)
  const account = store.get('serviceaccounts', `${namespace}/${name}`)?.object
  return account !== undefined && account.metadata.uid === uid && isBoundAlive(store, claims, namespace)
}

const boundCollections = { pod: 'pods', secret: 'secrets', node: 'nodes' } as const

/** A token that is bound to a Pod, Secret or Node is valid while that object exists. The token of a Pod also contains the Node of the Pod. */
const isBoundAlive = (store: Store, claims: TokenClaims, namespace: string): boolean => {
  const claim = (['pod', 'secret', 'node'] as const).find(each => textAt(claims['kubernetes.io'], each, 'name'))
  if (!claim) return true
  const { name, uid } = fieldsAt(claims['kubernetes.io'], claim) ?? {}
  const key = claim === 'node' ? String(name) : `${namespace}/${name}`
  const bound = store.get(boundCollections[claim], key)?.object
  return bound !== undefined && bound.metadata.uid === uid
}

const accountUser = (claims: TokenClaims): User => {
  const { namespace, uid } = accountOf(claims)
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
  const pod = textAt(claims['kubernetes.io'], 'pod', 'name')
  const extra = {
    'authentication.kubernetes.io/credential-id': [`JTI=${claims.jti}`],
    ...(pod && {
      'authentication.kubernetes.io/pod-name': [pod],
      'authentication.kubernetes.io/pod-uid': [textAt(claims['kubernetes.io'], 'pod', 'uid')],
    }),
  }
  return authenticated({ name: claims.sub, uid, groups, extra })
}
