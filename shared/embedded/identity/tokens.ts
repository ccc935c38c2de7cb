// Signs and verifies service-account tokens with the cluster's own P-256 key (ES256) or with given keys (RS256 too), and serves the
// documents with which clients verify tokens. user.ts checks whether the account still exists.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
  verify,
} from 'node:crypto'
import { mapOrEmpty } from '../value.ts'

export type TokenSubject = {
  namespace: string
  name: string
  uid: string
  /** The token is valid while this object exists. */
  bound?: { kind: 'Pod' | 'Secret' | 'Node'; name: string; uid: string }
}

export type TokenClaims = {
  iss: string
  sub: string
  aud: string[]
  exp: number
  iat: number
  nbf: number
  jti: string
  'kubernetes.io': Record<string, unknown>
}

export type Tokens = {
  readonly issuer: string
  issue(subject: TokenSubject, audiences: readonly string[], seconds: number): { token: string; expires: Date }
  read(token: string): TokenClaims | undefined
  useKeys(keys: AccountKeys): void
  discovery(url: string): Record<string, unknown>
  jwks(): Record<string, unknown>
  readonly savedKey: string
}

const keptReadings = 1000

/** PEM: the key that signs, and all keys whose signatures are valid, concatenated. */
export type AccountKeys = { readonly signing: string; readonly verifying: string }

export const tokens = (issuer: string, savedKey?: string): Tokens => {
  const own = savedKey ? createPrivateKey(savedKey) : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const verified = new Map<string, TokenClaims>()
  let signer = signatureKey(own)
  let known = [signer]

  const check = (token: string): TokenClaims | undefined => {
    const seen = verified.get(token)
    if (seen) return seen
    const [header = '', payload = '', signature = '', ...more] = token.split('.')
    const key = known.find(({ head }) => head === header)
    if (!key || more.length || !isSigned(key, `${header}.${payload}`, signature)) return undefined
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as TokenClaims
    if (verified.size >= keptReadings) verified.clear()
    verified.set(token, claims)
    return claims
  }

  return {
    issuer,
    issue: (subject, audiences, seconds) => {
      const now = Math.floor(Date.now() / 1000)
      const issued = { aud: [...audiences], exp: now + seconds, iat: now, iss: issuer }
      const signed = `${signer.head}.${encode(claimsOf(subject, issued))}`
      const signature = sign('sha256', Buffer.from(signed), { key: signer.key, dsaEncoding: 'ieee-p1363' })
      return { token: `${signed}.${signature.toString('base64url')}`, expires: new Date((now + seconds) * 1000) }
    },
    read: token => {
      const claims = check(token)
      const now = Date.now() / 1000
      return claims && claims.iss === issuer && claims.exp > now && claims.nbf <= now + 1 ? claims : undefined
    },
    useKeys: ({ signing, verifying }) => {
      verified.clear()
      signer = signatureKey(createPrivateKey(signing))
      known = (verifying.match(pemBlocks) ?? []).map(pem => signatureKey(createPublicKey(pem)))
    },
    discovery: url => ({
      issuer,
      jwks_uri: `${url}/openid/v1/jwks`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [...new Set(known.map(({ jwk }) => jwk.alg))],
    }),
    jwks: () => ({ keys: known.map(({ jwk }) => jwk) }),
    savedKey: own.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

const pemBlocks = /-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----/g

/** `head`: first part of the tokens. The text is the same for the private and the public key. */
type SignatureKey = { readonly key: KeyObject; readonly head: string; readonly jwk: Record<string, unknown> }

const signatureKey = (key: KeyObject): SignatureKey => {
  const { kty, ...rest } = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' })
  const alg = kty === 'RSA' ? 'RS256' : 'ES256'
  const { crv, x, y, n, e } = rest
  const kid = createHash('sha256')
    .update(kty === 'RSA' ? `${n}${e}` : `${x}${y}`)
    .digest('base64url')
  const numbers = kty === 'RSA' ? { n, e } : { crv, x, y }
  return { key, head: encode({ alg, kid }), jwk: { use: 'sig', kty, kid, alg, ...numbers } }
}

const isSigned = ({ key }: SignatureKey, signed: string, signature: string): boolean =>
  verify('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const claimsOf = (subject: TokenSubject, issued: Pick<TokenClaims, 'aud' | 'exp' | 'iat' | 'iss'>): TokenClaims => ({
  ...issued,
  jti: randomUUID(),
  'kubernetes.io': {
    namespace: subject.namespace,
    ...(subject.bound && { [subject.bound.kind.toLowerCase()]: { name: subject.bound.name, uid: subject.bound.uid } }),
    serviceaccount: { name: subject.name, uid: subject.uid },
  },
  nbf: issued.iat,
  sub: `system:serviceaccount:${subject.namespace}:${subject.name}`,
})

export const accountOf = (claims: TokenClaims): { namespace: string; name: string; uid: string } => {
  const own = claims['kubernetes.io']
  const account = mapOrEmpty(own.serviceaccount)
  return { namespace: String(own.namespace), name: String(account.name), uid: String(account.uid) }
}
