// Reads the issuer name and public keys of the API server through our own connection, so that no other program can inject keys.
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose'
import type { Client } from '../kube/client-types.ts'

type Issuer = { name: string; key: JWTVerifyGetKey }

/** The current issuer. `key` finds the key of a token. If a key id is unknown, the keys are read again. */
export type Issuers = () => Promise<Issuer>

/** Keys are read again after this time, so that a removed key is no longer trusted. */
const maxAgeMilliseconds = 600_000
/** The minimum time between two reads, because tokens with invented key ids must not cause many requests. */
const cooldownMilliseconds = 30_000

/** `clock`: monotonic milliseconds. */
export const issuersOf = (client: Pick<Client, 'raw'>, clock: () => number = () => performance.now()): Issuers => {
  let last: { issuer: Promise<Issuer>; at: number } | undefined

  const askedWithin = (milliseconds: number): Promise<Issuer> => {
    if (last !== undefined && clock() - last.at < milliseconds) return last.issuer
    const asked = { issuer: fetched(client), at: clock() }
    last = asked
    asked.issuer.catch(() => {
      if (last === asked) last = undefined
    })
    return asked.issuer
  }

  return async () => {
    const { name, key } = await askedWithin(maxAgeMilliseconds)
    return { name, key: orNewer(key, async () => (await askedWithin(cooldownMilliseconds)).key) }
  }
}

const orNewer =
  (key: JWTVerifyGetKey, newer: () => Promise<JWTVerifyGetKey>): JWTVerifyGetKey =>
  async (header, token) => {
    const { errors } = await import('jose')
    try {
      return await key(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      return (await newer())(header, token)
    }
  }

const fetched = async (client: Pick<Client, 'raw'>): Promise<Issuer> => {
  const [{ createLocalJWKSet }, discovery, keys] = await Promise.all([
    import('jose'),
    client.raw({ method: 'GET', path: '/.well-known/openid-configuration' }),
    client.raw({ method: 'GET', path: '/openid/v1/jwks' }),
  ])
  return { name: issuerName(discovery), key: createLocalJWKSet(parsed(keys) as JSONWebKeySet) }
}

/** Keys have the type application/jwk-set+json, which the client returns as text. */
const parsed = (body: unknown): unknown => (typeof body === 'string' ? JSON.parse(body) : body)

const issuerName = (discovery: unknown): string => {
  const { issuer } = discovery as { issuer?: unknown }
  if (typeof issuer !== 'string') throw new TypeError('the API server does not report the issuer of its tokens')
  return issuer
}
