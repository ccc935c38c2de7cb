import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT, UnsecuredJWT } from 'jose'
import t from 'tap'
import { sharedSecret, tokensByKeys, tokensByReview } from '../../shared/http/callers.ts'
import { issuersOf } from '../../shared/http/issuer-keys.ts'
import { contains, lacks, matches } from '../harness/matches.ts'
import { testHost, widget } from './host-parts.ts'
import { MemoryCluster, refusal } from './memory-cluster.ts'

const issuer = 'https://kubernetes.default.svc.cluster.local'
const relay = 'system:serviceaccount:espalier-system:relay'
const rules = { audience: 'espalier', allowed: [relay] }

type Signer = { kid: string; privateKey: CryptoKey; publicKey: CryptoKey; jwk: JWK }

const signer = async (kid: string, algorithm = 'RS256'): Promise<Signer> => {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
  return { kid, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' } }
}

const ours = await signer('one')
const other = await signer('two')
const elliptic = await signer('three', 'ES256')

type Claims = { iss?: string; aud?: string | string[]; sub?: string; exp?: string | number; nbf?: number }

const token = (claims: Claims = {}, by: Signer = ours, header: object = {}): Promise<string> => {
  const { iss = issuer, aud = ['espalier'], sub = relay, exp = '10m', nbf } = claims
  const jwt = new SignJWT(nbf === undefined ? {} : { nbf })
    .setProtectedHeader({ alg: String(by.jwk.alg), kid: by.kid, ...header })
    .setIssuer(iss)
    .setAudience(aud)
    .setSubject(sub)
  return (exp === 'never' ? jwt : jwt.setExpirationTime(exp)).sign(by.privateKey)
}

/** A cluster whose API server issues tokens with these keys, and counts how often it is asked for them. */
const issuingCluster = (...signers: Signer[]) => {
  const cluster = new MemoryCluster([widget()])
  const asked = { keys: 0, signers }
  cluster.raws.push(({ path }) => {
    if (path === '/.well-known/openid-configuration') return { issuer, jwks_uri: 'https://elsewhere.invalid/keys' }
    if (path !== '/openid/v1/jwks') return undefined
    asked.keys++
    return JSON.stringify({ keys: asked.signers.map(({ jwk }) => jwk) })
  })
  return { cluster, asked }
}

const hostOf = (cluster: MemoryCluster) => testHost({ checkToken: tokensByKeys(cluster.client, rules) }, cluster)

const call = (
  host: ReturnType<typeof testHost>,
  authorization: string | undefined,
  more: object = {},
  payload = '{"namespace":"n","name":"a"}',
) =>
  host.functions.inject({
    method: 'POST',
    url: '/functions/widget',
    headers: { 'content-type': 'application/json', ...(authorization && { authorization }), ...more },
    payload,
  })

t.test('RE-19 the relay’s token is accepted, by either kind of key', async t => {
  const { cluster } = issuingCluster(ours, elliptic)
  const host = hostOf(cluster)
  t.equal((await call(host, `Bearer ${await token()}`)).statusCode, 200)
  t.equal((await call(host, `bearer ${await token({}, elliptic)}`)).statusCode, 200)
  t.equal((await call(host, `Bearer ${await token({ aud: ['https://other', 'espalier'] })}`)).statusCode, 200)
})

t.test('RE-19 whoever is not the relay: 401 or 403 before the body is parsed, and no reconcile', async t => {
  const good = await token()
  const [head, payload, signature] = good.split('.')
  const edited = Buffer.from(JSON.stringify({ iss: issuer, aud: 'espalier', sub: relay, exp: 9e9 })).toString(
    'base64url',
  )
  const publicPem = new TextEncoder().encode(await exportSPKI(ours.publicKey))
  const symmetric = new SignJWT({})
    .setProtectedHeader({ alg: 'HS256', kid: 'one' })
    .setIssuer(issuer)
    .setAudience('espalier')
    .setSubject(relay)
    .setExpirationTime('10m')
  const unsigned = new UnsecuredJWT({})
    .setIssuer(issuer)
    .setAudience('espalier')
    .setSubject(relay)
    .setExpirationTime('10m')
  const cases: [string, string | undefined, number][] = [
    ['no token', undefined, 401],
    ['basic authentication', 'Basic cmVsYXk6cmVsYXk=', 401],
    ['an empty token', 'Bearer ', 401],
    ['no JWT', 'Bearer x.y.z', 401],
    ['two tokens', `Bearer ${good} ${good}`, 401],
    ['alg: none', `Bearer ${unsigned.encode()}`, 401],
    ['alg: none with our header', `Bearer ${unsigned.encode().split('.')[0]}.${payload}.${signature}`, 401],
    ['HS256 with the public key as the secret', `Bearer ${await symmetric.sign(publicPem)}`, 401],
    ['an edited payload', `Bearer ${head}.${edited}.${signature}`, 401],
    ['no signature', `Bearer ${head}.${payload}.`, 401],
    ['another key under our key id', `Bearer ${await token({}, { ...other, kid: 'one' })}`, 401],
    ['a key the API server does not have', `Bearer ${await token({}, other)}`, 401],
    ['a key inside the token', `Bearer ${await token({}, other, { jwk: other.jwk, kid: undefined })}`, 401],
    ['another audience', `Bearer ${await token({ aud: 'https://kubernetes.default.svc' })}`, 401],
    ['another issuer', `Bearer ${await token({ iss: 'https://elsewhere.invalid' })}`, 401],
    ['expired', `Bearer ${await token({ exp: Math.floor(Date.now() / 1000) - 60 })}`, 401],
    ['without an end', `Bearer ${await token({ exp: 'never' })}`, 401],
    ['not yet valid', `Bearer ${await token({ nbf: Math.floor(Date.now() / 1000) + 600 })}`, 401],
    ['another tenant', `Bearer ${await token({ sub: 'system:serviceaccount:tenant:relay' })}`, 403],
    ['a name that only begins like ours', `Bearer ${await token({ sub: `${relay}-2` })}`, 403],
  ]
  for (const [sentence, authorization, status] of cases) {
    const { cluster } = issuingCluster(ours)
    const answer = await call(hostOf(cluster), authorization, {}, '{broken')
    t.equal(answer.statusCode, status, sentence)
    matches(t, answer.json(), { code: status === 401 ? 'unauthenticated' : 'forbidden', requestId: String }, sentence)
    t.equal(answer.headers['www-authenticate'], status === 401 ? 'Bearer' : undefined, sentence)
    t.strictSame(cluster.writes, [], sentence)
  }
})

t.test('RE-19 headers in which a proxy names a user are ignored', async t => {
  for (const header of [
    'x-remote-user',
    'x-forwarded-user',
    'x-forwarded-client-cert',
    'x-client-cert',
    'ssl-client-verify',
    'x-forwarded-for',
    'impersonate-user',
  ]) {
    const { cluster } = issuingCluster(ours)
    t.equal((await call(hostOf(cluster), undefined, { [header]: relay })).statusCode, 401, header)
    const foreign = await token({ sub: 'system:serviceaccount:tenant:relay' })
    t.equal((await call(hostOf(cluster), `Bearer ${foreign}`, { [header]: relay })).statusCode, 403, header)
  }
})

t.test('RE-19 a caller without a token learns nothing: no names, no difference between paths', async t => {
  const { cluster } = issuingCluster(ours)
  const host = hostOf(cluster)
  for (const url of [
    '/functions/widget',
    '/functions/gadget',
    '/functions/widget/keys',
    '/functions/widget/plan',
    '/functions/',
  ]) {
    const answer = await host.functions.inject({ method: 'POST', url, payload: {} })
    t.equal(answer.statusCode, 401, url)
    lacks(t, answer.body, 'widget')
  }
})

t.test('RE-19 an unknown caller is refused without waiting for its body', async t => {
  const host = hostOf(issuingCluster(ours).cluster)
  await host.functions.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => host.functions.close())
  const socket = connect((host.functions.server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(
    'POST /functions/widget HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 10000000\r\n\r\n',
  )
  const [data] = await once(socket, 'data')
  matches(t, String(data), /^HTTP\/1\.1 401/)
  socket.destroy()
})

t.test('a new signing key is looked for once, then not again for a while', async t => {
  const { cluster, asked } = issuingCluster(ours)
  const clock = { now: 0 }
  const issuers = issuersOf(cluster.client, () => clock.now)
  const finds = async (by: Signer): Promise<boolean> => {
    const { key } = await issuers()
    const verified = Promise.resolve(key({ alg: 'RS256', kid: by.kid }, { payload: '', signature: '' }))
    return verified.then(
      () => true,
      () => false,
    )
  }
  t.equal(await finds(ours), true)
  t.equal(asked.keys, 1)
  t.equal(await finds(other), false)
  t.equal(asked.keys, 1, 'the keys are fresh')
  clock.now = 40_000
  asked.signers = [ours, other]
  t.equal(await finds(other), true, 'a new key, after a rotation')
  t.equal(asked.keys, 2)
  t.equal(await finds(elliptic), false)
  t.equal(await finds(elliptic), false)
  t.equal(asked.keys, 2, 'a flood of invented key ids is no flood of requests')
  clock.now = 700_000
  asked.signers = [other]
  t.equal(await finds(ours), false, 'a key that was taken back counts no longer')
  t.equal(asked.keys, 3)
})

t.test('simultaneous calls ask the API server for its keys once', async t => {
  const { cluster, asked } = issuingCluster(ours)
  const host = hostOf(cluster)
  const bearer = `Bearer ${await token()}`
  const answers = await Promise.all(Array.from({ length: 20 }, () => call(host, bearer)))
  t.ok(answers.every(({ statusCode }) => statusCode === 200))
  t.equal(asked.keys, 1)
})

t.test('an API server that is away when the keys are needed: 503, and the next call asks again', async t => {
  const { cluster } = issuingCluster(ours)
  const host = hostOf(cluster)
  cluster.trouble = refusal(503, 'ServiceUnavailable')
  const bearer = `Bearer ${await token()}`
  const away = await call(host, bearer)
  t.equal(away.statusCode, 503)
  t.equal(away.headers['retry-after'], '1')
  cluster.trouble = undefined
  t.equal((await call(host, bearer)).statusCode, 200)
})

t.test('RE-19 TokenReview: the API server judges each token, also one that was revoked', async t => {
  const cases: [string, object | undefined, number][] = [
    ['ours', { authenticated: true, audiences: ['espalier'], user: { username: relay } }, 200],
    ['taken back', { authenticated: false, error: 'token has been invalidated' }, 401],
    ['no status', undefined, 401],
    ['of no audience', { authenticated: true, user: { username: relay } }, 401],
    ['another audience', { authenticated: true, audiences: ['other'], user: { username: relay } }, 401],
    [
      'another tenant',
      { authenticated: true, audiences: ['espalier'], user: { username: 'system:serviceaccount:t:relay' } },
      403,
    ],
    ['nobody', { authenticated: true, audiences: ['espalier'] }, 403],
  ]
  for (const [sentence, status, code] of cases) {
    const cluster = new MemoryCluster([widget()])
    const reviews: unknown[] = []
    cluster.raws.push(({ method, path, body }) => {
      if (method !== 'POST' || path !== '/apis/authentication.k8s.io/v1/tokenreviews') return undefined
      reviews.push(body)
      return { status }
    })
    const host = testHost({ checkToken: tokensByReview(cluster.client, rules) }, cluster)
    t.equal((await call(host, 'Bearer some.opaque.token')).statusCode, code, sentence)
    matches(t, reviews, [{ spec: { token: 'some.opaque.token', audiences: ['espalier'] } }])
  }
})

t.test('RE-19 only the shared secret itself is accepted', async t => {
  const host = testHost({ checkToken: sharedSecret('0123456789abcdef0123456789abcdef') })
  t.equal((await call(host, 'Bearer 0123456789abcdef0123456789abcdef')).statusCode, 200)
  t.equal((await call(host, 'Bearer 0123456789abcdef0123456789abcdee')).statusCode, 401)
  t.equal((await call(host, 'Bearer 0123456789abcdef')).statusCode, 401)
})

t.test('no token is logged', async t => {
  const { cluster } = issuingCluster(ours)
  const host = hostOf(cluster)
  const expired = await token({ exp: 1 })
  await call(host, `Bearer ${expired}`)
  const text = JSON.stringify(host.lines)
  contains(t, text, 'unauthenticated')
  for (const part of expired.split('.')) lacks(t, text, part)
})
