// In which order garden-network-policy reads: another copy of it may act between two of its lists.
import t from 'tap'
import { decide } from '../../../functions/garden-network-policy/decide.ts'
import { gather } from '../../../functions/garden-network-policy/gather.ts'
import { gardenNetworkPolicySettings } from '../../../functions/garden-network-policy/settings.ts'
import { networkPolicyKind } from '../../../functions/garden-network-policy/world.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { defaultValues } from '../../../shared/core/settings/setting.ts'
import type { ListQuery, Reads } from '../../../shared/kube/client-types.ts'
import { KindNotServed } from '../../../shared/kube/errors.ts'
import { garden } from '../../make/garden/garden.ts'
import { namespace, namespaceOf } from '../../make/objects/namespaces.ts'

/** A cluster in which `meanwhile` happens right before policies are listed. */
const readsWhile = (objects: KubeObject[], meanwhile: () => void): Reads => ({
  get: async () => undefined,
  list: async ({ kind, keep = object => object }: ListQuery) => {
    if (kind === networkPolicyKind.kind) meanwhile()
    return objects.filter(object => object.kind === kind).flatMap(object => keep(object) ?? [])
  },
})

const contextOf = (reads: Reads) => ({ reads, settings: defaultValues(gardenNetworkPolicySettings) })

t.test('GA-137 RE-10 policies that another copy makes while we read are not taken for superfluous', async t => {
  const home = namespaceOf('extension', 'e')
  const policies = decide({
    gardens: [garden()],
    namespaces: [home],
    chosen: new Set<string>(),
    policies: [],
    shoots: new Map(),
    apiServer: [],
  }).steps.flatMap(step => (step.do === 'create' ? step.object : []))
  t.equal(policies.length, 6)
  const objects: KubeObject[] = [home]
  const reads = readsWhile(objects, () => objects.push(garden(), ...policies))
  t.strictSame(decide(await gather(namespace('default'), contextOf(reads))).steps, [])
})

t.test('GA-136 RE-10 nor those of a namespace that gets its role while we read', async t => {
  const home = namespaceOf('extension', 'e')
  const objects: KubeObject[] = [garden(), namespace('e')]
  const given = await gather(namespace('default'), contextOf(readsWhile([garden(), home], () => {})))
  const policies = decide(given).steps.flatMap(step => (step.do === 'create' ? step.object : []))
  const reads = readsWhile(objects, () => objects.splice(1, 1, home, ...policies))
  t.strictSame(decide(await gather(namespace('default'), contextOf(reads))).steps, [])
})

t.test('GA-187 what is read of the endpoints of default/kubernetes', async t => {
  const endpoints = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { namespace: 'default', name: 'kubernetes' },
    subsets: [
      {
        addresses: [{ ip: '203.0.113.1' }, { ip: '203.0.113.2' }],
        ports: [
          { name: 'https', port: 443, protocol: 'TCP' },
          { name: 'again', port: 443 },
        ],
      },
      { notReadyAddresses: [{ ip: '203.0.113.3' }], ports: [{ port: 6443, protocol: 'TCP' }] },
      { addresses: [{ ip: '203.0.113.4' }] },
    ],
  }
  const reads: Reads = { get: async () => endpoints as KubeObject, list: async () => [] }
  t.strictSame((await gather(namespace('default'), contextOf(reads))).apiServer, [
    { addresses: ['203.0.113.1', '203.0.113.2'], ports: [{ port: 443, protocol: 'TCP' }] },
    { addresses: [], ports: [{ port: 6443, protocol: 'TCP' }] },
    { addresses: ['203.0.113.4'], ports: [] },
  ])
})

t.test('RE-70 null and objects in the endpoints of default/kubernetes end no call, and allow nothing', async t => {
  const odd = { toString: 1 }
  const subsets: readonly unknown[] = [
    ...[null, 'x', odd, [null], [{ addresses: null, ports: null }]],
    [{ addresses: [null, { ip: null }, { ip: odd }], ports: [null, { port: null }, { port: odd }] }],
  ]
  for (const given of subsets) {
    const metadata = { namespace: 'default', name: 'kubernetes' }
    const endpoints = { apiVersion: 'v1', kind: 'Endpoints', metadata, subsets: given } as KubeObject
    const reads = readsWhile([garden(), namespaceOf('extension', 'e')], () => {})
    const world = await gather(namespace('default'), contextOf({ ...reads, get: async () => endpoints }))
    t.strictSame(
      world.apiServer.flatMap(({ addresses, ports }) => [...addresses, ...ports]),
      [],
      JSON.stringify(given),
    )
    t.equal(decide(world).steps.length, 6)
  }
  const metadata = { namespace: 'default', name: 'kubernetes' }
  const mixed = [{ addresses: [{ ip: '203.0.113.1' }], ports: [null, { port: 443, protocol: null }] }]
  const endpoints = { apiVersion: 'v1', kind: 'Endpoints', metadata, subsets: mixed } as KubeObject
  const reads: Reads = { get: async () => endpoints, list: async () => [] }
  t.strictSame((await gather(namespace('default'), contextOf(reads))).apiServer, [
    { addresses: ['203.0.113.1'], ports: [{ port: 443, protocol: 'TCP' }] },
  ])
})

/** A cluster that serves all kinds but this one. */
const readsWithout = (missing: string, objects: KubeObject[]): Reads => {
  const { get, list } = readsWhile(objects, () => {})
  return {
    get,
    list: async query => {
      if (query.kind === missing) throw new KindNotServed(query)
      return list(query)
    },
  }
}

t.test('GA-137 where the kind Garden is not served nothing is known of Gardens, and ours stay', async t => {
  const home = namespaceOf('extension', 'e')
  const given = await gather(namespace('default'), contextOf(readsWhile([garden(), home], () => {})))
  const policies = decide(given).steps.flatMap(step => (step.do === 'create' ? step.object : []))
  t.equal(policies.length, 6)
  const reads = readsWithout('Garden', [home, ...policies])
  t.strictSame(decide(await gather(namespace('default'), contextOf(reads))).steps, [])
  const none = readsWhile([home, ...policies], () => {})
  t.equal(decide(await gather(namespace('default'), contextOf(none))).steps.length, 6, 'where it is, they go')
})
