// Authenticates callers of functions before their bodies are read. Headers that name a user (X-Remote-User, X-Forwarded-Client-Cert, …)
// are ignored.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Client } from '../kube/client-types.ts'
import { reviewedUser } from '../kube/reviews.ts'
import { Refused } from './errors.ts'
import { type Issuers, issuersOf } from './issuer-keys.ts'

/** Returns the caller's name. Throws Refused, or an error of the API server. */
export type TokenCheck = (token: string) => Promise<string>

type CallerRules = { audience: string; allowed: readonly string[] }

export const callerOf = async (authorization: string | undefined, check: TokenCheck): Promise<string> => {
  const token = /^Bearer +(?<token>[-A-Za-z0-9._~+/]+=*)$/i.exec(authorization ?? '')?.groups?.token
  if (token === undefined) throw new Refused('unauthenticated', { detail: 'the request needs a bearer token' })
  return check(token)
}

/** Verifies service account tokens with the public keys of the API server. */
export const tokensByKeys = (client: Pick<Client, 'raw'>, rules: CallerRules): TokenCheck => {
  const issuers = issuersOf(client)
  return async token => allowedCaller(await subjectOf(token, issuers, rules), rules)
}

/** Excludes `none`, and symmetric algorithms, because a caller could use the public key as the symmetric secret. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

const subjectOf = async (token: string, issuers: Issuers, { audience }: CallerRules): Promise<string> => {
  const { jwtVerify, errors } = await import('jose')
  const issuer = await issuers()
  try {
    const wanted = { issuer: issuer.name, audience, algorithms, clockTolerance: 5, requiredClaims: ['exp', 'sub'] }
    const { payload } = await jwtVerify(token, issuer.key, wanted)
    return payload.sub ?? ''
  } catch (error) {
    if (error instanceof errors.JOSEError)
      throw new Refused('unauthenticated', { detail: whyNot(error.code), cause: error })
    throw error
  }
}

const whyNot = (code: string): string =>
  code === 'ERR_JWT_EXPIRED' ? 'the token has expired' : 'the token is not valid for this server'

/** Verifies tokens by TokenReview, which also refuses revoked tokens. */
export const tokensByReview =
  (client: Pick<Client, 'raw'>, rules: CallerRules): TokenCheck =>
  async token => {
    const user = await reviewedUser(client, { token, audience: rules.audience })
    if (!user) throw new Refused('unauthenticated', { detail: whyNot('') })
    return allowedCaller(user.username, rules)
  }

/** Verifies a secret that host and relay share if both run in the same process. */
export const sharedSecret = (secret: string): TokenCheck => {
  const expected = digest(secret)
  return async token => {
    if (!timingSafeEqual(digest(token), expected)) throw new Refused('unauthenticated', { detail: whyNot('') })
    return 'shared-secret'
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const allowedCaller = (name: string, { allowed }: CallerRules): string => {
  if (!allowed.includes(name)) throw new Refused('forbidden', { cause: new Error(`${name} is not an allowed caller`) })
  return name
}
