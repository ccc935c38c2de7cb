// Who gets in and how far: credentials, RBAC as it is stored, service-account tokens that jose verifies, bad requests.
import { gzipSync } from 'node:zlib'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import t from 'tap'
import { Agent, request } from 'undici'
import { type EmbeddedCluster, startEmbeddedCluster } from '../../../shared/embedded/start.ts'
import { apiClient } from '../../harness/clients/api.ts'
import type { Credentials } from '../../harness/clients/kubeconfig.ts'
import { matches } from '../../harness/matches.ts'

const start = async (options = {}): Promise<EmbeddedCluster> => {
  const cluster = await startEmbeddedCluster(options)
  t.teardown(() => cluster.stop())
  return cluster
}

const clientFor = (cluster: EmbeddedCluster, credentials?: Credentials) => {
  const client = apiClient(cluster, credentials)
  t.teardown(() => client.close())
  return client
}

const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
t.teardown(() => dispatcher.close())

const configMaps = '/api/v1/namespaces/default/configmaps'

const cluster = await start({ tokens: { 'plain-token': { name: 'jane', groups: ['readers'] } } })
const admin = clientFor(cluster, { token: cluster.adminToken })

t.test('credentials: admin token, plain token, client certificate, none, wrong ones', async t => {
  const whoAmI = async (credentials?: Credentials) => {
    const reply = await clientFor(cluster, credentials).call(
      'POST',
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      {
        body: {},
      },
    )
    return {
      status: reply.status,
      user: reply.body.status?.userInfo as { username?: string; groups?: string[] } | undefined,
    }
  }
  matches(t, await whoAmI({ token: cluster.adminToken }), { status: 201, user: { username: 'kubernetes-admin' } })
  matches(t, await whoAmI({ token: 'plain-token' }), {
    status: 201,
    user: { username: 'jane', groups: ['readers', 'system:authenticated'] },
  })
  const { cert, key } = cluster.clientCertificate({ commonName: 'anna', organizations: ['ops', 'dev'] })
  matches(t, await whoAmI({ certificate: cert, key }), {
    status: 201,
    user: { username: 'anna', groups: ['ops', 'dev', 'system:authenticated'] },
  })
  matches(t, await whoAmI(), { status: 403 }, 'anonymous may not ask')
  matches(t, await whoAmI({ token: 'wrong' }), { status: 401 })
  const stranger = (await start()).clientCertificate({
    commonName: 'kubernetes-admin',
    organizations: ['system:masters'],
  })
  matches(
    t,
    await whoAmI({ certificate: stranger.cert, key: stranger.key }),
    { status: 403 },
    'another authority counts for nothing',
  )
})

t.test('RBAC is evaluated on what is stored at the moment', async t => {
  const jane = clientFor(cluster, { token: 'plain-token' })
  const refused = await jane.call('GET', configMaps)
  t.equal(refused.status, 403)
  t.equal(
    refused.body.message,
    'configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "default"',
  )
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }]
  await admin.call('POST', `${rbac}/namespaces/default/roles`, { body: { metadata: { name: 'reader' }, rules } })
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' }
  const subjects = [{ kind: 'Group', name: 'readers', apiGroup: 'rbac.authorization.k8s.io' }]
  await admin.call('POST', `${rbac}/namespaces/default/rolebindings`, {
    body: { metadata: { name: 'r' }, roleRef, subjects },
  })
  t.equal((await jane.call('GET', configMaps)).status, 200)
  t.equal((await jane.call('POST', configMaps, { body: { metadata: { name: 'x' } } })).status, 403)
  t.equal((await jane.call('GET', '/api/v1/configmaps')).status, 403, 'a Role ends at its namespace')
  await admin.call('PATCH', `${rbac}/namespaces/default/roles/reader`, {
    body: { rules: [] },
    contentType: 'application/merge-patch+json',
  })
  t.equal((await jane.call('GET', configMaps)).status, 403)
})

t.test('who may act as a user may not choose the groups of that user', async t => {
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  const rules = [{ apiGroups: [''], resources: ['users'], verbs: ['impersonate'], resourceNames: ['anna'] }]
  const metadata = { name: 'acts-as-anna' }
  await admin.call('POST', `${rbac}/clusterroles`, { body: { metadata, rules } })
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name }
  const subjects = [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }]
  await admin.call('POST', `${rbac}/clusterrolebindings`, { body: { metadata, roleRef, subjects } })
  const asking = async (as: Record<string, string>): Promise<number> => {
    const headers = { authorization: 'Bearer plain-token', 'content-type': 'application/json', ...as }
    const url = `${cluster.url}/apis/authentication.k8s.io/v1/selfsubjectreviews`
    const reply = await request(url, { dispatcher, method: 'POST', body: '{}', headers })
    await reply.body.dump()
    return reply.statusCode
  }
  t.equal(await asking({ 'impersonate-user': 'anna' }), 201)
  t.equal(await asking({ 'impersonate-user': 'anna', 'impersonate-group': 'system:masters' }), 403)
  t.equal(await asking({ 'impersonate-user': 'bob' }), 403)
})

t.test('an aggregated ClusterRole has the rules of the roles it selects', async t => {
  const role = await admin.call('GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles/view')
  const rules = role.body.rules as { resources?: string[] }[]
  t.ok(rules.some(rule => rule.resources?.includes('pods')))
})

t.test('FN-71 a requested token opens the API, verifies with jose, and ends with its account', async t => {
  const accounts = '/api/v1/namespaces/default/serviceaccounts'
  await admin.call('POST', accounts, { body: { metadata: { name: 'robot' } } })
  const own = await admin.call('POST', `${accounts}/robot/token`, { body: { spec: {} } })
  const other = await admin.call('POST', `${accounts}/robot/token`, {
    body: { spec: { audiences: ['espalier'], expirationSeconds: 700 } },
  })
  const { token } = own.body.status as { token: string }
  const foreign = (other.body.status as { token: string }).token

  const keys = (await admin.call('GET', '/openid/v1/jwks')).body as unknown as JSONWebKeySet
  const configuration = (await admin.call('GET', '/.well-known/openid-configuration')).body
  const verified = await jwtVerify(foreign, createLocalJWKSet(keys), {
    issuer: String(configuration.issuer),
    audience: 'espalier',
  })
  t.equal(verified.payload.sub, 'system:serviceaccount:default:robot')

  const robot = clientFor(cluster, { token })
  matches(
    t,
    (await robot.call('GET', configMaps)).body.message,
    /User "system:serviceaccount:default:robot" cannot list/,
  )
  t.equal(
    (await clientFor(cluster, { token: foreign }).call('GET', configMaps)).status,
    401,
    'an audience of its own opens nothing here',
  )

  const review = (token: string, audiences?: string[]) =>
    admin.call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body: { spec: { token, audiences } } })
  matches(t, (await review(foreign, ['espalier', 'x'])).body.status, { authenticated: true, audiences: ['espalier'] })
  matches(t, (await review(foreign)).body.status, { authenticated: undefined, error: String })

  await admin.call('DELETE', `${accounts}/robot`)
  t.equal((await robot.call('GET', configMaps)).status, 401)
})

t.test('FN-71 a token that is bound to an object ends with the object', async t => {
  const accounts = '/api/v1/namespaces/default/serviceaccounts'
  for (const { kind, path } of [
    { kind: 'Secret', path: '/api/v1/namespaces/default/secrets' },
    { kind: 'Node', path: '/api/v1/nodes' },
  ]) {
    const { body } = await admin.call('POST', path, { body: { metadata: { name: 'anchor' } } })
    const boundObjectRef = { apiVersion: 'v1', kind, name: 'anchor', uid: body.metadata?.uid }
    const request = { body: { spec: { boundObjectRef } } }
    const { status } = (await admin.call('POST', `${accounts}/default/token`, request)).body
    const client = clientFor(cluster, { token: (status as { token: string }).token })
    t.equal((await client.call('GET', configMaps)).status, 403, kind)
    await admin.call('DELETE', `${path}/anchor`)
    t.equal((await client.call('GET', configMaps)).status, 401, `${kind} is gone`)
  }
})

t.test('no request ends the process', async t => {
  const send = async (
    method: 'POST' | 'PATCH',
    path: string,
    body: string | Buffer,
    headers: Record<string, string>,
  ) => {
    const authorization = `Bearer ${cluster.adminToken}`
    const reply = await request(cluster.url + path, {
      dispatcher,
      method,
      body,
      headers: { authorization, ...headers },
    })
    return { code: reply.statusCode, body: (await reply.body.json()) as { code?: number; reason?: string } }
  }
  const json = { 'content-type': 'application/json' }
  const deep = '['.repeat(1_000_000)
  const big = JSON.stringify({ metadata: { name: 'big' }, data: { big: 'x'.repeat(3 * 1024 * 1024) } })
  const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, ' '))
  const odd = `${configMaps}/kube-root-ca.crt`
  matches(t, await send('POST', configMaps, big, json), { code: 413, body: { reason: 'RequestEntityTooLarge' } })
  matches(t, await send('POST', configMaps, bomb, { ...json, 'content-encoding': 'gzip' }), { code: 413 })
  matches(t, await send('POST', configMaps, 'no gzip', { ...json, 'content-encoding': 'gzip' }), { code: 400 })
  for (const body of [deep, '{"metadata":', '"text"', 'null', '', '{"metadata":[]}', '{"metadata":{"name":7}}'])
    matches(
      t,
      await send('POST', configMaps, body, json),
      { code: 400, body: { reason: 'BadRequest' } },
      body.slice(0, 30),
    )
  matches(t, await send('POST', configMaps, 'a: &a [*a,*a]', { 'content-type': 'application/yaml' }), { code: 400 })
  matches(t, await send('POST', configMaps, '{}', { 'content-type': 'text/plain' }), { code: 415 })
  for (const type of ['json-patch+json', 'merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'])
    matches(
      t,
      await send('PATCH', `${odd}?fieldManager=m`, deep, { 'content-type': `application/${type}` }),
      { code: 400 },
      type,
    )
  const tests = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: 'ConfigMap' }))
  const jsonPatch = { 'content-type': 'application/json-patch+json' }
  matches(t, await send('PATCH', odd, JSON.stringify(tests), jsonPatch), { code: 413 })
  const polluting = '[{"op":"add","path":"/__proto__/polluted","value":1}]'
  matches(t, await send('PATCH', odd, polluting, jsonPatch), { code: 422 })
  t.equal((await admin.call('GET', '/livez')).text, 'ok')
})

t.test('RE-22 keys like __proto__ are kept as data and change nothing else', async t => {
  const data = JSON.parse('{"__proto__":"a","constructor":"b","toString":"c"}') as Record<string, string>
  const made = await admin.call('POST', configMaps, { body: { metadata: { name: 'odd' }, data } })
  t.equal(made.status, 201)
  const patch = '{"data":{"__proto__":"changed"},"metadata":{"labels":{"a":"b"}}}'
  await admin.call('PATCH', `${configMaps}/odd`, {
    body: JSON.parse(patch),
    contentType: 'application/merge-patch+json',
  })
  const read = await admin.call('GET', `${configMaps}/odd`)
  matches(t, read.text, /"__proto__":"changed"/)
  t.strictSame(Object.keys(read.body.data as object).sort(), ['__proto__', 'constructor', 'toString'])
  t.equal(({} as Record<string, unknown>).changed, undefined)
  t.equal(Object.getPrototypeOf({}), Object.prototype)
})
