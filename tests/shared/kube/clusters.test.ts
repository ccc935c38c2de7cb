// Remote clusters by their access Secrets: found, rotated, removed, refused; what is kept between calls decides nothing.
import { syncBuiltinESMExports } from 'node:module'
import { mock } from 'node:test'
import tls from 'node:tls'
import t from 'tap'
import { stringify } from 'yaml'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { kubeconfigClients, passingClient } from '../../../shared/kube/kubeconfigs/clients.ts'
import { newAuthority } from '../../harness/clients/certificates.ts'
import { rejects, throws } from '../../harness/matches.ts'
import { configMap, json, scriptedServer } from './scripted-server.ts'

const authority = await newAuthority('remote clusters')
const serving = await authority.serving({ ip: ['127.0.0.1'] })

const remotes = {
  runtimes: {
    namespace: 'access',
    optionalLabels: { 'example.com/purpose': 'access' },
    nameLabel: 'example.com/runtime',
    kubeconfigKey: 'config',
    allowedHosts: ['127.0.0.1'],
  },
}

const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' }

const kubeconfig = (server: string, user: object): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [
      {
        name: 'c',
        cluster: { server, 'certificate-authority-data': Buffer.from(authority.certificate).toString('base64') },
      },
    ],
    users: [{ name: 'c', user }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'c' } }],
  })

const secret = (name: string, text: string, runtime = 'one'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'access', labels: { 'example.com/purpose': 'access', 'example.com/runtime': runtime } },
  data: { config: Buffer.from(text).toString('base64') },
})

type Test = { teardown(cleanUp: () => unknown): unknown }

/** A local cluster that holds the Secrets in the list, and a remote one that notes who came. */
const world = async (t: Test) => {
  const secrets: KubeObject[] = []
  const remote = await scriptedServer(t, (_, answer) => json(answer, 200, configMap('a')), { tls: serving })
  const home = await scriptedServer(t, (asked, answer) => {
    const selected = secrets.filter(({ metadata: { labels } }) =>
      (asked.query.get('labelSelector') ?? '')
        .split(',')
        .every(pair => labels?.[pair.split('=')[0] ?? ''] === pair.split('=')[1]),
    )
    json(answer, 200, { kind: 'SecretList', metadata: { resourceVersion: '1' }, items: selected })
  })
  const local = createClient(home.access)
  t.teardown(local.close)
  return { secrets, remote, home, local, reach: clusters({ local, remotes }) }
}

const tokensSeen = ({ asked }: { asked: { headers: { authorization?: string } }[] }) =>
  asked.map(({ headers }) => headers.authorization)

t.test('a remote cluster is reached through its Secret; local is the local client', async t => {
  const { secrets, remote, local, reach } = await world(t)
  secrets.push(secret('x', kubeconfig(remote.url, { token: 'first' })), secret('y', 'other', 'two'))
  const client = await reach.of('runtimes/one')
  await client.get(ref)
  t.strictSame(tokensSeen(remote), ['Bearer first'])
  t.equal(await reach.of('runtimes/one'), client, 'the same credentials, the same connections')
  t.equal(await reach.of('local'), local)
})

t.test(
  'KY-188 KY-312 the Secret needs no further label, another value of one is refused, one namespace counts',
  async t => {
    const { secrets, remote, home, reach } = await world(t)
    const given = secret('x', kubeconfig(remote.url, { token: 'first' }))
    const labels = { 'example.com/runtime': 'one' }
    const another = { ...labels, 'example.com/purpose': 'another' }
    secrets.push(
      { ...given, metadata: { ...given.metadata, labels } },
      { ...given, metadata: { ...given.metadata, name: 'y', labels: another } },
    )
    await (await reach.of('runtimes/one')).get(ref)
    t.strictSame(tokensSeen(remote), ['Bearer first'])
    t.ok(home.asked.every(({ path }) => path === '/api/v1/namespaces/access/secrets'))
    secrets.shift()
    await rejects(t, () => reach.of('runtimes/one'), { reason: 'Missing' })
  },
)

t.test('KY-183 twenty questions to one cluster of a fleet share four connections', async t => {
  const { secrets, remote, reach } = await world(t)
  secrets.push(secret('x', kubeconfig(remote.url, { token: 'first' })))
  const client = await reach.of('runtimes/one')
  await Promise.all(Array.from({ length: 20 }, () => client.get(ref)))
  t.equal(remote.asked.length, 20)
  t.equal(remote.dials(), 4)
})

t.test('all sockets to one cluster share its certificates, which are read once', async t => {
  const { secrets, remote, reach } = await world(t)
  secrets.push(secret('x', kubeconfig(remote.url, { token: 'first' })))
  const reading = mock.method(tls, 'createSecureContext')
  syncBuiltinESMExports()
  t.teardown(() => {
    reading.mock.restore()
    syncBuiltinESMExports()
  })
  const client = await reach.of('runtimes/one')
  await Promise.all(Array.from({ length: 20 }, () => client.get(ref)))
  t.equal(remote.dials(), 4)
  t.equal(reading.mock.callCount(), 1)
})

t.test('FN-41 rotated credentials are used at once, also when the Secret has another name', async t => {
  const { secrets, remote, reach } = await world(t)
  const use = async () => (await reach.of('runtimes/one')).get(ref)
  secrets.push(secret('x', kubeconfig(remote.url, { token: 'first' })))
  await use()
  secrets.splice(0, 1, secret('x', kubeconfig(remote.url, { token: 'second' })))
  await use()
  secrets.splice(0, 1, secret('renamed', kubeconfig(remote.url, { token: 'third' })))
  await use()
  secrets.splice(
    0,
    1,
    secret('renamed', 'relabelled away', 'two'),
    secret('new', kubeconfig(remote.url, { token: 'fourth' })),
  )
  await use()
  t.strictSame(
    tokensSeen(remote),
    ['first', 'second', 'third', 'fourth'].map(token => `Bearer ${token}`),
  )
})

t.test('FN-41 a client that a call holds still works after its Secret was rotated', async t => {
  const { secrets, remote, reach } = await world(t)
  secrets.push(secret('x', kubeconfig(remote.url, { token: 'first' })))
  const held = await reach.of('runtimes/one')
  secrets.splice(0, 1, secret('x', kubeconfig(remote.url, { token: 'second' })))
  await (await reach.of('runtimes/one')).get(ref)
  await held.get(ref)
  t.strictSame(tokensSeen(remote), ['Bearer second', 'Bearer first'])
})

t.test(
  'a removed access Secret ends the access; a copy of the host that never saw it gives the same error',
  async t => {
    const { secrets, remote, local, reach } = await world(t)
    secrets.push(secret('x', kubeconfig(remote.url, { token: 'first' })))
    await reach.of('runtimes/one')
    secrets.splice(0, 1)
    for (const copy of [reach, clusters({ local, remotes })])
      await rejects(t, copy.of('runtimes/one'), {
        name: 'AccessError',
        reason: 'Missing',
        message: /example.com\/runtime=one/,
      })
  },
)

t.test('RE-25 a refused kubeconfig is a refusal at every call, with the reason, until the Secret changes', async t => {
  const { secrets, remote, reach } = await world(t)
  secrets.push(secret('x', kubeconfig(remote.url, { exec: { command: 'touch' } })))
  for (const _ of [1, 2])
    await rejects(t, reach.of('runtimes/one'), {
      name: 'AccessError',
      reason: 'Refused',
      message: /users\[0\]\.user\.exec would run a program/,
    })
  t.equal(remote.dials(), 0)
  secrets.splice(0, 1, secret('x', kubeconfig(remote.url, { token: 'good' })))
  t.ok(await (await reach.of('runtimes/one')).get(ref))
})

const hour = 3_600_000

t.test('FN-41 a client is kept as long as its kubeconfig is in use, and no longer', async t => {
  let now = 0
  const clients = kubeconfigClients({}, () => now)
  const clientOf = (token: string, bytes = 0) =>
    clients({
      text: `${kubeconfig('https://127.0.0.1:1', { token })}#${' '.repeat(bytes)}`,
      allowedHosts: ['127.0.0.1'],
      called: 'the kubeconfig',
    })
  const [used, removed] = [clientOf('used'), clientOf('removed')]
  for (; now < 3 * hour; now += hour) t.equal(clientOf('used'), used)
  t.strictSame(clients.counts(), { created: 2, active: 1 })
  t.not(clientOf('removed'), removed, 'nobody had asked for it any more')
  t.equal(clientOf('used'), used)
  for (let n = 0; n < 2_500; n++) clientOf(`of-a-fleet-${n}`)
  t.equal(clientOf('used'), used, 'as many as a fleet has clusters')
  for (let n = 0; n < 500; n++) clientOf(`rotated-${n}`, 250_000)
  t.not(clientOf('used'), used, 'but no more than there is room for')
})

t.test('CO-129 a client counts 32 KiB beside its kubeconfig, and 128 MiB of them are kept', async t => {
  const clients = kubeconfigClients()
  const given = (token: string) => ({
    text: kubeconfig('https://127.0.0.1:1', { token }),
    allowedHosts: ['127.0.0.1'],
    called: 'the kubeconfig',
  })
  const first = clients(given('first'))
  for (let n = 0; n < 3_900; n++) clients(given(`other-${n}`))
  t.equal(clients(given('first')), first)
  for (let n = 0; n < 4_096; n++) clients(given(`further-${n}`))
  t.not(clients(given('first')), first)
  const passing = [passingClient(given('first')), passingClient(given('first'))]
  t.not(passing[0], passing[1], 'one that is closed after use is shared with nobody')
  for (const one of passing) await one.close()
})

t.test('a client is shared only by the same kubeconfig with the same allowed hosts', async t => {
  const clients = kubeconfigClients()
  const given = { text: kubeconfig('https://127.0.0.1:1', { token: 'a' }), called: 'the kubeconfig in a/b' }
  const client = clients({ ...given, allowedHosts: ['127.0.0.1'] })
  t.equal(clients({ ...given, allowedHosts: ['127.0.0.1'] }), client)
  const elsewhere = { ...given, called: 'the same elsewhere', allowedHosts: ['127.0.0.1'] }
  t.not(clients(elsewhere), client, 'its sentences name where it is from')
  throws(t, () => clients({ ...given, allowedHosts: ['*'] }), {
    name: 'AccessError',
    reason: 'Refused',
    message: /^the kubeconfig in a\/b is refused: .*loopback/,
  })
})

t.test('an access Secret that cannot be used, and a text that names no cluster, are errors with a reason', async t => {
  const { secrets, home, reach } = await world(t)
  secrets.push({ ...secret('x', ''), data: {} })
  await rejects(t, reach.of('runtimes/one'), { reason: 'Refused', message: /no key config/ })
  secrets.push(secret('y', ''))
  await rejects(t, reach.of('runtimes/one'), { reason: 'Refused', message: /more than one secret found/ })
  const asked = home.asked.length
  for (const name of ['runtimes/', 'runtimes/a,b=c', 'runtimes/a/b', 'others/one', 'toString/one', 'runtimes'])
    await rejects(t, reach.of(name), { name: 'AccessError', reason: 'Missing' }, name)
  t.equal(home.asked.length, asked, 'nothing was asked for them')
})

t.test('within one call a cluster is looked up once, and its client is bound to the call', async t => {
  const { secrets, remote, home, reach } = await world(t)
  secrets.push(secret('x', kubeconfig(remote.url, { token: 'first' })))
  const call = reach.bound({ traceparent: '00-aa-bb-01' })
  const [a, b] = await Promise.all([call.of('runtimes/one'), call.of('runtimes/one')])
  t.equal(a, b)
  await a.get(ref)
  await (await call.of('local')).list({ apiVersion: 'v1', kind: 'Secret' })
  t.equal(home.asked.length, 2)
  t.strictSame(
    [...home.asked, ...remote.asked].map(({ headers }) => headers.traceparent),
    Array(3).fill('00-aa-bb-01'),
  )
})
