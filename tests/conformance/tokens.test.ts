// Service-account tokens as anybody outside the cluster verifies them: with the issuer's discovery document and keys.
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import t from 'tap'
import type { KubeObject } from '../harness/clients/api.ts'
import { anyCluster } from '../harness/clusters/any-cluster.ts'
import { matches, rejects } from '../harness/matches.ts'

const cluster = await anyCluster(t)
const { api, namespace } = cluster
const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`
await api.call('POST', accounts, { body: { metadata: { name: 'robot' } } })

const tokenFor = async (spec: object): Promise<{ token: string; answer: KubeObject }> => {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec }
  const { body: answer } = await api.call('POST', `${accounts}/robot/token`, { body })
  return { token: String(answer.status?.token), answer }
}

const discovery = (await api.call('GET', '/.well-known/openid-configuration')).body as { issuer?: string }
const keys = createLocalJWKSet((await api.call('GET', '/openid/v1/jwks')).body as unknown as JSONWebKeySet)

t.test('FN-71 jose verifies a token with the issuer and the keys the cluster shows', async t => {
  const { token } = await tokenFor({ audiences: ['garden'], expirationSeconds: 600 })
  const { payload } = await jwtVerify(token, keys, { issuer: discovery.issuer, audience: 'garden' })
  t.equal(payload.sub, `system:serviceaccount:${namespace}:robot`)
  t.equal(Number(payload.exp) - Number(payload.iat), 600)
  const { serviceaccount, namespace: place } = payload['kubernetes.io'] as { serviceaccount: object; namespace: string }
  matches(t, { serviceaccount, place }, { serviceaccount: { name: 'robot', uid: /.+/ }, place: namespace })
})

t.test('FN-71 a token is for its audience only', async t => {
  const { token } = await tokenFor({ audiences: ['garden'] })
  await rejects(t, jwtVerify(token, keys, { audience: 'elsewhere' }), { code: 'ERR_JWT_CLAIM_VALIDATION_FAILED' })
})

t.test('FN-71 a changed token is not verified', async t => {
  const { token } = await tokenFor({ audiences: ['garden'] })
  const [head, payload = '', signature] = token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'system:admin' })).toString('base64url')
  await rejects(t, jwtVerify(`${head}.${forged}.${signature}`, keys), { code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' })
})

t.test('FN-71 a token names the key that signed it', async t => {
  const { token } = await tokenFor({})
  const { keys: shown } = (await api.call('GET', '/openid/v1/jwks')).body as unknown as JSONWebKeySet
  const { kid, alg } = decodeProtectedHeader(token)
  t.ok(shown.some(key => key.kid === kid && key.alg === alg))
})

t.test('FN-71 a token bound to a Secret ends with it', async t => {
  const secrets = `/api/v1/namespaces/${namespace}/secrets`
  const made = await api.call('POST', secrets, { body: { metadata: { name: 'anchor' } } })
  const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name: 'anchor', uid: made.body.metadata?.uid }
  const { token } = await tokenFor({ boundObjectRef })
  const review = async (): Promise<KubeObject> => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } }
    return (await api.call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body })).body
  }
  t.equal((await review()).status?.authenticated, true)
  const { payload } = await jwtVerify(token, keys)
  matches(t, payload['kubernetes.io'], { secret: { name: 'anchor', uid: made.body.metadata?.uid } })
})
