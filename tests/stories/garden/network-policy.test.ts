/**
 * garden-network-policy through the loop: policies follow namespaces that come and go, the Garden, the API server's
 * endpoints and shoots, and leave alone what is somebody else's.
 */
import t, { type Test } from 'tap'
import { gardenNetworkPolicy } from '../../../functions/garden-network-policy/index.ts'
import { gardenCrd } from '../../../shared/api/garden/spec.ts'
import type { Outcome } from '../../../shared/core/decisions/outcome.ts'
import { type KubeObject, type ObjectRef, refOf } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { processContext } from '../../../shared/runtime/context.ts'
import { reconcile } from '../../../shared/runtime/reconcile.ts'
import { oneCluster } from '../../harness/clusters/one-cluster.ts'
import { ownCluster } from '../../harness/clusters/own-cluster.ts'
import { define, testCrd } from '../../harness/clusters/test-definitions.ts'
import { lasting } from '../../harness/component/orchards.ts'
import { matches } from '../../harness/matches.ts'
import { garden } from '../../make/garden/garden.ts'
import { foreignPolicy, namespace, namespaceOf, shootCluster } from '../../make/objects/namespaces.ts'
import { settingsWith } from '../../make/settings.ts'

const fieldManager = 'person'
const owner = 'networking.gardener.cloud/managed-by'
const policyKind = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' }
const all = [
  'allow-to-blocked-cidrs',
  'allow-to-dns',
  'allow-to-private-networks',
  'allow-to-public-networks',
  'allow-to-runtime-apiserver',
  'deny-all',
]
const ofIstio = ['allow-to-dns', 'allow-to-runtime-apiserver', 'deny-all']

const networking = {
  ipFamilies: ['IPv4', 'IPv6'],
  nodes: ['10.250.0.0/16'],
  pods: ['10.1.0.0/16', 'fd01::/48'],
  services: ['10.0.0.0/24', 'fd00::/112'],
  blockCIDRs: ['169.254.169.254/32', 'fd00:ec2::254/128'],
}
const subject = garden({ spec: { runtimeCluster: { networking } } })

t.test('garden-network-policy on a cluster', async t => {
  const client = await preparedCluster(t)
  const people = peopleAt(client)
  const { call, names, read } = people

  t.test('without a Garden no policy is made', async t => {
    for (const object of [namespaceOf('istio-ingress'), namespaceOf('extension')]) await people.create(object)
    matches(t, await call(), { outcome: 'settled' })
    t.strictSame(await names('garden'), [])
  })

  t.test(
    'GA-135 GA-143 each namespace has the policies of its role, both families, as the API server takes them',
    async t => {
      await people.create(subject)
      matches(t, await call(), { outcome: 'settled' })
      t.strictSame([await names('garden'), await names('extension'), await names('istio-ingress')], [all, all, ofIstio])
      t.strictSame(await names('default'), [])
      const policy = await read('garden', 'allow-to-private-networks')
      matches(t, policy?.metadata, {
        labels: { [owner]: 'garden-network-policy' },
        annotations: { 'gardener.cloud/description': String },
      })
      const peers = [
        { cidr: '10.0.0.0/8', except: ['10.250.0.0/16', '10.1.0.0/16', '10.0.0.0/24'] },
        ...['172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fe80::/10'].map(cidr => ({ cidr, except: undefined })),
        { cidr: 'fc00::/7', except: ['fd01::/48', 'fd00::/112', 'fd00:ec2::254/128'] },
      ]
      matches(t, policy?.spec, { egress: [{ to: peers.map(ipBlock => ({ ipBlock })) }] })
      matches(t, (await read('garden', 'deny-all'))?.spec, { podSelector: {}, policyTypes: ['Ingress', 'Egress'] })
    },
  )

  t.test('GA-135 a namespace chosen for this installation has all six', async t => {
    await people.create(namespace('chosen', { team: 'network' }))
    matches(t, await call(['team in (network)']), { outcome: 'settled' })
    t.strictSame(await names('chosen'), all)
    matches(t, await call(), { outcome: 'settled' })
    t.strictSame(await names('chosen'), [], 'not chosen any more')
  })

  t.test('GA-140 an idle call writes nothing; what is edited or deleted is restored', async t => {
    const before = await people.versions()
    matches(t, await call(), { outcome: 'settled' })
    t.strictSame(await people.versions(), before)
    const spec = (await read('garden', 'deny-all'))?.spec
    await people.change(policyRef('garden', 'deny-all'), { spec: { ingress: [{}], policyTypes: ['Ingress'] } })
    await client.delete(policyRef('garden', 'allow-to-dns'), {})
    await call()
    t.strictSame((await read('garden', 'deny-all'))?.spec, spec)
    t.strictSame(await names('garden'), all)
  })

  t.test('GA-138 somebody else has one of the names: untouched, told on the Namespace and in the log', async t => {
    await people.create(namespaceOf('istio-system'))
    const foreign = await people.create(foreignPolicy({ namespace: 'istio-system', name: 'deny-all' }))
    const elsewhere = await people.create(foreignPolicy({ namespace: 'default', name: 'deny-all' }))
    people.heard.length = 0
    matches(t, await call(), { outcome: 'stalled', reason: 'NetworkPolicyConflict: istio-system/deny-all' })
    t.strictSame(await names('istio-system'), ofIstio, 'the rest is written')
    for (const policy of [foreign, elsewhere]) t.strictSame(await client.get(refOf(policy)), policy)
    matches(t, await people.eventsAbout('istio-system'), [
      { type: 'Warning', reason: 'NetworkPolicyConflict', count: 1 },
    ])
    matches(t, people.heard, [{ reason: 'NetworkPolicyConflict', regarding: 'Namespace istio-system' }])
    await client.delete(refOf(foreign), {})
    matches(t, await call(), { outcome: 'settled' }, 'it is gone: ours takes its place')
    matches(t, (await read('istio-system', 'deny-all'))?.metadata.labels, { [owner]: 'garden-network-policy' })
  })

  t.test('GA-139 without our label but equal to ours: ours by the label alone', async t => {
    const before = await read('garden', 'allow-to-public-networks')
    await people.change(policyRef('garden', 'allow-to-public-networks'), { metadata: { labels: { [owner]: null } } })
    matches(t, await call(), { outcome: 'settled' })
    const after = await read('garden', 'allow-to-public-networks')
    matches(t, after?.metadata, { uid: before?.metadata.uid, labels: { [owner]: 'garden-network-policy' } })
    t.strictSame(after?.spec, before?.spec)
  })

  t.test('GA-136 a role is lost, another one comes', async t => {
    await people.change(namespaceRef('extension'), { metadata: { labels: { 'gardener.cloud/role': 'istio-ingress' } } })
    await call()
    t.strictSame(await names('extension'), ofIstio)
    await people.change(namespaceRef('extension'), { metadata: { labels: { 'gardener.cloud/role': null } } })
    await call()
    t.strictSame(await names('extension'), [])
  })

  t.test('GA-136 a namespace that is going is skipped, however long it takes', async t => {
    await people.create(namespaceOf('extension', 'going'))
    const held = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'going', name: 'held' } }
    const finalizers = ['example.com/held']
    await people.create({ ...held, metadata: { ...held.metadata, finalizers } })
    await client.delete(namespaceRef('going'), {})
    matches(t, await call(), { outcome: 'settled' })
    t.strictSame(await names('going'), [])
    await people.change(refOf(held), { metadata: { finalizers: null } })
  })

  t.test('GA-141 networks of the Garden change: all follow in the next call', async t => {
    const spec = { runtimeCluster: { networking: { blockCIDRs: ['198.51.100.0/24'], services: ['10.5.0.0/16'] } } }
    await people.change(refOf(subject), { spec })
    await call()
    const blocked = [{ to: [{ ipBlock: { cidr: '198.51.100.0/24' } }] }]
    matches(t, (await read('garden', 'allow-to-blocked-cidrs'))?.spec, { egress: blocked })
    for (const name of ['garden', 'istio-ingress', 'istio-system'])
      matches(t, JSON.stringify(await read(name, 'allow-to-dns')), /10\.5\.0\.10\/32/, name)
  })

  t.test('GA-142 the endpoints of default/kubernetes change: the policy follows', async t => {
    for (const ip of ['203.0.113.1', '203.0.113.2']) {
      await people.apply({
        apiVersion: 'v1',
        kind: 'Endpoints',
        metadata: { namespace: 'default', name: 'kubernetes' },
        subsets: [{ addresses: [{ ip }], ports: [{ name: 'https', port: 6443, protocol: 'TCP' }] }],
      })
      await call()
      const egress = [{ to: [{ ipBlock: { cidr: `${ip}/32` } }], ports: [{ port: 6443, protocol: 'TCP' }] }]
      matches(t, (await read('garden', 'allow-to-runtime-apiserver'))?.spec, { egress })
    }
  })

  t.test('GA-145 a shoot: one policy waits for its Cluster, then leaves out its networks', async t => {
    await people.create(namespaceOf('shoot', 'shoot--dev--one'))
    matches(t, await call(), { outcome: 'waiting', requeueAfterSeconds: 30, reason: /shoot--dev--one/ })
    t.strictSame(
      await names('shoot--dev--one'),
      all.filter(name => name !== 'allow-to-private-networks'),
    )
    await define(client, testCrd('clusters'))
    matches(t, await call(), { outcome: 'waiting' }, 'the kind is there, the Cluster is not')
    await people.create(shootCluster('shoot--dev--one', { pods: '10.180.0.0/16', nodes: '192.168.7.0/24' }))
    matches(t, await call(), { outcome: 'settled' })
    const text = JSON.stringify((await read('shoot--dev--one', 'allow-to-private-networks'))?.spec)
    matches(t, text, /10\.180\.0\.0\/16.*192\.168\.7\.0\/24/)
  })

  t.test('two Gardens: nothing is written', async t => {
    const before = await people.versions()
    const second = await people.create(garden({ metadata: { name: 'second' } }))
    matches(t, await call(), { outcome: 'stalled', reason: 'MoreThanOneGarden: garden, second' })
    t.strictSame(await people.versions(), before)
    await client.delete(refOf(second), {})
  })

  t.test('GA-137 the Garden is gone: ours are deleted everywhere, and only ours', async t => {
    await client.delete(refOf(subject), {})
    matches(t, await call(), { outcome: 'settled' })
    const left = await client.list(policyKind)
    t.strictSame(
      left.map(({ metadata: { namespace, name } }) => `${namespace}/${name}`),
      ['default/deny-all'],
    )
  })
})

const policyRef = (namespace: string, name: string): ObjectRef => ({ ...policyKind, namespace, name })
const namespaceRef = (name: string): ObjectRef => ({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name })

async function preparedCluster(t: Test): Promise<Client> {
  const client = await ownCluster(t)
  await define(client, gardenCrd())
  await client.apply(namespace('garden'), { fieldManager })
  return client
}

/** People who change things and look at what comes of it, and calls of the function as the host makes them. */
function peopleAt(client: Client) {
  const heard: object[] = []
  const quiet = () => {}
  const log = { debug: quiet, info: quiet, warn: (fields: object) => void heard.push(fields), error: quiet }
  const policiesIn = (namespace: string) => client.list({ ...policyKind, namespace })
  return {
    /** What was logged as a warning. */
    heard,
    create: (object: KubeObject) => client.create(object, { fieldManager }),
    apply: (object: KubeObject) => client.apply(object, { fieldManager, force: true }),
    change: (ref: ObjectRef, merge: object) => client.patch(ref, { type: 'merge', body: merge }, { fieldManager }),
    read: (namespace: string, name: string) => client.get(policyRef(namespace, name)),
    names: async (namespace: string) => (await policiesIn(namespace)).map(({ metadata }) => metadata.name).sort(),
    versions: async () =>
      (await client.list(policyKind)).map(({ metadata }) => [metadata.uid, metadata.resourceVersion]),
    eventsAbout: async (name: string) => {
      const events = await client.list({ apiVersion: 'v1', kind: 'Event', namespace: 'default' })
      return events.filter(({ involvedObject }) => (involvedObject as { name?: string }).name === name)
    },
    call: (namespaceSelectors: readonly string[] = []): Promise<Outcome> => {
      const process = processContext({ clusters: oneCluster(client), settingsOf: settingsWith({ namespaceSelectors }) })
      const call = { ...process, ...lasting(120), now: () => new Date(), log }
      return reconcile(gardenNetworkPolicy, { namespace: '', name: 'default' }, call)
    },
  }
}
