// A Garden where there is IPv6 alone, from nothing to Succeeded: in a real runtime cluster whose Services have addresses of IPv6, with real etcds,
// a real kube-apiserver and a real kube-controller-manager that are reached by IPv6.
import t from 'tap'
import { gardenCare } from '../../functions/garden-care/index.ts'
import { gardenNetworkPolicy } from '../../functions/garden-network-policy/index.ts'
import { mapOrEmpty, mapsIn } from '../../shared/core/json/json.ts'
import { type KubeObject, refOf, refText } from '../../shared/core/objects/object.ts'
import { clusters } from '../../shared/kube/clusters/clusters.ts'
import { processContext } from '../../shared/runtime/context.ts'
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { reconcile } from '../../shared/runtime/reconcile.ts'
import { lasting } from '../harness/component/orchards.ts'
import { kubernetesRelease } from '../harness/control-plane/binaries.ts'
import { gardenSettings } from '../harness/garden/garden-settings.ts'
import { liveGarden } from '../harness/garden/live-garden.ts'
import { deploymentRef } from '../harness/garden/live-workloads.ts'
import { matches } from '../harness/matches.ts'
import { garden } from '../make/garden/garden.ts'

const networking = {
  ipFamilies: ['IPv6'],
  nodes: ['2001:db8:1::/64'],
  pods: ['fd00:11::/64'],
  services: ['fd00:10::/108'],
  blockCIDRs: ['fd00:ec2::254/128'],
}
const subject = garden({
  spec: {
    runtimeCluster: { networking },
    virtualCluster: {
      kubernetes: { version: kubernetesRelease().slice(1) },
      networking: { services: ['fd00:20::/112'] },
      gardener: { gardenerDiscoveryServer: {} },
    },
  },
})
const live = await liveGarden(t, subject, 'IPv6')
const { runtime } = live

const isIPv6 = (address: unknown) => String(address).includes(':')
const specOf = (object: KubeObject | undefined) => mapOrEmpty(object?.spec)

t.test('GA-375 it comes up, and all its conditions are True', async t => {
  const found = await live.until(garden => garden?.status?.lastOperation?.state === 'Succeeded')
  t.equal(found?.status?.lastOperation?.state, 'Succeeded', found?.status?.lastOperation?.description ?? '')
  await live.call(gardenCare)
  const conditions = (await live.read())?.status?.conditions ?? []
  t.strictSame(
    conditions.map(({ type, status, message }) => `${type} ${status}${status === 'True' ? '' : ` ${message}`}`).sort(),
    [
      'ObservabilityComponentsHealthy True',
      'Reconciled True',
      'RuntimeComponentsHealthy True',
      'VirtualComponentsHealthy True',
      'VirtualGardenAPIServerAvailable True',
    ],
  )
})

t.test('GA-375 all its Services have addresses of IPv6 alone', async t => {
  const services = await runtime.list({ apiVersion: 'v1', kind: 'Service' })
  t.ok(services.length > 15, `${services.length} Services`)
  for (const service of services) {
    const { ipFamilies, ipFamilyPolicy, clusterIPs } = specOf(service)
    const asks = service.metadata.name === 'virtual-garden-kube-apiserver'
    t.strictSame(
      [ipFamilies, ipFamilyPolicy],
      [['IPv6'], asks ? 'PreferDualStack' : 'SingleStack'],
      refText(refOf(service)),
    )
    const addresses = (clusterIPs as unknown[]).filter(address => address !== 'None')
    t.ok(addresses.every(isIPv6), addresses.join())
  }
  const gateway = services.find(({ metadata }) => metadata.name === 'istio-ingressgateway')
  matches(t, gateway?.status, { loadBalancer: { ingress: [{ ip: '2001:db8::10' }] } })
})

t.test('GA-375 the virtual garden gives addresses of its own range, and finds gardener-apiserver by IPv6', async t => {
  const server = await runtime.get(deploymentRef('virtual-garden-kube-apiserver'))
  t.ok(JSON.stringify(server).includes('"--service-cluster-ip-range=fd00:20::/112"'))
  const ofVirtual = { apiVersion: 'v1', kind: 'Service', namespace: 'default', name: 'kubernetes' }
  matches(t, specOf(await live.virtual.get(ofVirtual)), { clusterIP: 'fd00:20::1', ipFamilies: ['IPv6'] })
  const inRuntime = await runtime.get({ ...ofVirtual, namespace: 'garden', name: 'gardener-apiserver' })
  const slices = await live.virtual.list({ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' })
  const found = slices.map(({ metadata, addressType, endpoints }) => [
    metadata.namespace,
    addressType,
    mapsIn(endpoints).flatMap(({ addresses }) => addresses),
  ])
  t.strictSame(found.sort(), [
    ['default', 'IPv6', ['2001:db8::1']],
    ['kube-system', 'IPv6', [specOf(inRuntime).clusterIP]],
  ])
})

t.test('GA-375 logs are collected by IPv6, without vali', async t => {
  const namesOf = async (apiVersion: string, kind: string) =>
    (await runtime.list({ apiVersion, kind, namespace: 'garden' })).map(({ metadata }) => metadata.name)
  const resources = await namesOf('resources.gardener.cloud/v1alpha1', 'ManagedResource')
  t.ok(resources.includes('fluent-bit') && !resources.includes('vali'), resources.join())
  t.notOk((await namesOf('apps/v1', 'StatefulSet')).includes('vali'))
})

t.test('GA-375 network policies let Pods reach addresses of IPv6 alone', async t => {
  const endpoints = {
    ...{ apiVersion: 'v1', kind: 'Endpoints', metadata: { namespace: 'default', name: 'kubernetes' } },
    subsets: [{ addresses: [{ ip: '2001:db8::2' }], ports: [{ name: 'https', port: 443, protocol: 'TCP' }] }],
  }
  await runtime.apply(endpoints, { fieldManager: 'person' })
  const context = processContext({
    clusters: clusters({ local: runtime }),
    settingsOf: await gardenSettings(`127.0.0.1:${live.served.port}`),
  })
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const outcome = await reconcile(
    gardenNetworkPolicy as ReconcileFunction,
    { namespace: '', name: 'default' },
    { ...context, ...lasting(120), now: () => new Date(), log },
  )
  matches(t, outcome, { outcome: 'settled' })
  const policies = await runtime.list({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    namespace: 'garden',
  })
  const peers = Object.fromEntries(
    policies.map(policy => [
      policy.metadata.name,
      mapsIn(specOf(policy).egress)
        .flatMap(({ to }) => mapsIn(to))
        .flatMap(({ ipBlock }) => ipBlock ?? []),
    ]),
  )
  const cluster = ['2001:db8:1::/64', 'fd00:11::/64', 'fd00:10::/108', 'fd00:ec2::254/128']
  const unique = cluster.filter(cidr => cidr.startsWith('fd00'))
  matches(t, peers, {
    'deny-all': [],
    'allow-to-dns': [{ cidr: 'fd00:10::a/128' }, { cidr: 'fd30:1319:f1e:230b::1/128' }],
    'allow-to-runtime-apiserver': [{ cidr: '2001:db8::2/128' }],
    'allow-to-public-networks': [{ cidr: '::/0', except: ['fe80::/10', 'fc00::/7', ...cluster] }],
    'allow-to-private-networks': [{ cidr: 'fe80::/10' }, { cidr: 'fc00::/7', except: unique }],
    'allow-to-blocked-cidrs': [{ cidr: 'fd00:ec2::254/128' }],
  })
})
