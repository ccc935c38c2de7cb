// gardener-apiserver, the second API server of the virtual garden: golden for a Garden that says nothing, and for each field alone what
// it changes; and when the virtual garden is led to it.
import t from 'tap'
import { parse } from 'yaml'
import { gardenerApiserver } from '../../../functions/garden-reconcile/desired/gardener-apiserver.ts'
import { gardenerApiserverInVirtualGarden } from '../../../functions/garden-reconcile/desired/gardener-registration.ts'
import type { StepName } from '../../../functions/garden-reconcile/rules/flow.ts'
import { steps } from '../../../functions/garden-reconcile/rules/steps.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import type { GardenFields } from '../../../shared/api/garden.ts'
import { valueAt } from '../../../shared/core/json/fields.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { goldenIn } from '../../harness/golden.ts'
import { type Change, type Garden, garden } from '../../make/garden/garden.ts'
import { managedContents } from '../../make/garden/managed-contents.ts'
import { withRuntime, worldWithSecrets } from '../../make/garden/secret-world.ts'
import { serverFieldCases } from '../../make/garden/server-field-cases.ts'
import { mountedConfigMap, mountedSecret } from '../../make/garden/virtual-garden.ts'
import { differences } from '../../make/objects/pod-differences.ts'

const golden = goldenIn(import.meta.dirname)

type Fields = NonNullable<GardenFields['spec']['virtualCluster']['gardener']['gardenerAPIServer']>

const worldOf = (virtualCluster: Change<Garden['spec']['virtualCluster']> = {}): World =>
  withRuntime(
    worldWithSecrets({ garden: garden({ spec: { virtualCluster } }) }),
    mountedSecret('webhook', { kubeconfig: 'kind: Config\n' }),
    mountedConfigMap('policy', { policy: 'kind: Policy\n' }),
  )

const withServer = (gardenerAPIServer: Fields): World => worldOf({ gardener: { gardenerAPIServer } } as never)

const row = steps.filter(({ name }) => name === 'gardener-apiserver')

/** The contents of its ManagedResource stand for their Secret. */
const inRuntimeCluster = (world: World): KubeObject[] => {
  const made = row.flatMap(({ objects }) => objects(world))
  const others = made.filter(({ metadata }) => !metadata.name.startsWith('managedresource-'))
  return [...others.filter(({ kind }) => kind !== 'ManagedResource'), ...managedContents(made, runtimeName)]
}
const runtimeName = 'gardener-apiserver-runtime'

const ownFields = ['admissionPlugins', 'auditConfig', 'auditWebhook', 'encryptionConfig', 'featureGates', 'logging']
const shared = [...ownFields, 'requests', 'watchCacheSizes']
const fieldCases: readonly Fields[] = [
  ...serverFieldCases.filter(fields => Object.keys(fields).every(name => shared.includes(name))),
  { goAwayChance: 0.0015 },
  { shootAdminKubeconfigMaxExpiration: '24h' },
]

t.test('GA-163 gardener-apiserver of a Garden that says nothing, golden, and each field alone', async t => {
  t.strictSame(inRuntimeCluster(worldOf()), golden('gardener-apiserver'))
  const told = fieldCases.map(fields => ({
    fields,
    ...differences(inRuntimeCluster(worldOf()), inRuntimeCluster(withServer(fields))),
  }))
  t.strictSame(told, golden('gardener-apiserver-fields'))
  const highlyAvailable = inRuntimeCluster(worldOf({ controlPlane: { highAvailability: {} } }))
  t.strictSame(
    highlyAvailable.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => valueAt(spec, 'replicas')),
    [3],
  )
})

t.test('GA-163 its etcd and how it reaches it are those of kube-apiserver, its encryption file is its own', async t => {
  const kubeApiserver = steps.filter(({ name }) => name === 'apiserver').flatMap(({ objects }) => objects(worldOf()))
  const [own, others] = [inRuntimeCluster(worldOf()), kubeApiserver].map(objects => mountedNames(objects))
  for (const folder of ['etcd/ca', 'etcd/client']) {
    const path = `/srv/kubernetes/${folder}`
    t.ok(own?.get(path))
    t.equal(own?.get(path), others?.get(path), folder)
  }
  const encryption = '/etc/kubernetes/etcd-encryption-secret'
  t.ok(own?.get(encryption)?.startsWith('gardener-apiserver-etcd-encryption-configuration-'))
  t.not(own?.get(encryption), others?.get(encryption))
})

type Pod = {
  readonly containers: readonly { readonly volumeMounts: readonly { name: string; mountPath: string }[] }[]
  readonly volumes: readonly { name: string; secret?: { secretName: string } }[]
}

/** Secrets by the folder that they are mounted at. */
const mountedNames = (objects: readonly KubeObject[]): Map<string, string | undefined> => {
  const deployment = objects.find(({ kind }) => kind === 'Deployment')
  const { containers, volumes } = valueAt(deployment?.spec, 'template', 'spec') as Pod
  return new Map(
    (containers[0]?.volumeMounts ?? []).map(({ name, mountPath }) => [
      mountPath,
      volumes.find(volume => volume.name === name)?.secret?.secretName,
    ]),
  )
}

const faultsOf = (fields: Fields) => row.flatMap(({ faults }) => faults?.(withServer(fields)) ?? [])

t.test('what the Garden refers to for it and is not there is a fault of the step', async t => {
  t.strictSame(faultsOf({}), [])
  t.strictSame(faultsOf({ auditWebhook: { kubeconfigSecretName: 'lost' } } as Fields), [
    'Secret garden/lost: does not exist, but its key kubeconfig is needed',
  ])
})

/** The world once all that the step makes now is applied. */
const applied = (world: World, conditions: Record<string, string>): World =>
  withRuntime(
    world,
    ...gardenerApiserver(world).map(object => ({
      ...object,
      status: {
        observedGeneration: 0,
        conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })),
      },
    })),
  )
const ready = { ResourcesApplied: 'True', ResourcesHealthy: 'True', ResourcesProgressing: 'False' }

const service = (clusterIP?: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'gardener-apiserver', namespace: 'garden' },
  spec: { ...(clusterIP && { clusterIP }) },
})

const virtualObjects = (world: World) => managedContents(gardenerApiserver(world), 'gardener-apiserver-virtual')
const waitsOf = (world: World) => row.flatMap(({ waits }) => waits?.(world) ?? [])

t.test('GA-173 the virtual garden is led to the address of gardener-apiserver, once that is up', async t => {
  const start = worldOf()
  t.strictSame(virtualObjects(withRuntime(start, service('10.2.0.7'))), [], 'it is not there')
  const rolling = applied(withRuntime(start, service('10.2.0.7')), { ...ready, ResourcesProgressing: 'True' })
  t.strictSame(virtualObjects(rolling), [], 'it is rolled out')
  for (const nowhere of [[], [service()]]) {
    const world = applied(withRuntime(start, ...nowhere), ready)
    t.strictSame(virtualObjects(world), [], 'it has no address')
    t.strictSame(waitsOf(world), ['Service garden/gardener-apiserver: has no address yet'])
  }
  for (const address of ['10.2.0.7', '10.2.0.8']) {
    const world = applied(withRuntime(start, service(address)), ready)
    const made = virtualObjects(world)
    const placed = made.filter(({ kind }) => ['Service', 'Endpoints', 'EndpointSlice'].includes(kind))
    t.strictSame(
      placed.map(({ kind, metadata: { namespace, name }, spec, endpoints }) => ({
        kind,
        namespace,
        name,
        spec,
        endpoints,
      })),
      [
        {
          kind: 'Service',
          namespace: 'kube-system',
          name: 'gardener-apiserver',
          endpoints: undefined,
          spec: { type: 'ClusterIP', ports: [{ port: 443, targetPort: 443, protocol: 'TCP' }] },
        },
        {
          kind: 'EndpointSlice',
          namespace: 'kube-system',
          name: 'gardener-apiserver',
          spec: undefined,
          endpoints: [{ addresses: [address] }],
        },
      ],
    )
    t.notOk(made.some(({ metadata }) => metadata.namespace === 'garden'))
    t.strictSame(waitsOf(world), [])
  }
})

t.test('GA-173 endpoints are of the kind that the API server of that minor reads', async t => {
  const placed = (version: string, address: string) => {
    const world = withRuntime(worldOf({ kubernetes: { version } }), service(address))
    const made = managedContents(gardenerApiserverInVirtualGarden(world), 'gardener-apiserver-virtual')
    return made.flatMap(({ kind, subsets, addressType }) =>
      kind.startsWith('Endpoint') ? { kind, subsets, addressType } : [],
    )
  }
  const subsets = [{ addresses: [{ ip: '10.2.0.7' }], ports: [{ port: 443, protocol: 'TCP' }] }]
  const endpoints = { kind: 'Endpoints', subsets, addressType: undefined }
  const slice = { kind: 'EndpointSlice', subsets: undefined, addressType: 'IPv4' }
  t.strictSame(placed('1.32.9', '10.2.0.7'), [endpoints])
  t.strictSame(placed('v1.33.0', '10.2.0.7'), [endpoints, slice])
  for (const version of ['1.34', '1.36.1']) t.strictSame(placed(version, '10.2.0.7'), [slice], version)
  t.strictSame(placed('1.34.3', 'fd00::7'), [{ ...slice, addressType: 'IPv6' }])
})

t.test('GA-365 gardener-info names the version and the issuer of gardener-apiserver', async t => {
  const domain = (name: string) => ({ gardener: { gardenerDiscoveryServer: { domain: { name } } } }) as never
  const said = (world: World) => {
    const images = [{ name: 'gardener-apiserver', repository: 'r', tag: 'v1.131.2' }]
    const made = gardenerApiserverInVirtualGarden({
      ...withRuntime(world, service('10.2.0.7')),
      settings: { ...world.settings, images },
    })
    const info = managedContents(made, 'gardener-apiserver-virtual').find(
      ({ metadata }) => metadata.name === 'gardener-info',
    )
    return parse(String(valueAt(info?.data, 'gardenerAPIServer')))
  }
  const issuer = (host: string) => `https://${host}/garden/workload-identity/issuer`
  for (const [world, host] of [
    [worldOf(), 'discovery.ingress.runtime.garden.example.com'],
    [worldOf(domain('keys.example.com')), 'keys.example.com'],
  ] as const) {
    t.strictSame(said(world), { version: 'v1.131.2', workloadIdentityIssuerURL: issuer(host) })
    t.ok(JSON.stringify(inRuntimeCluster(world)).includes(`--workload-identity-token-issuer=${issuer(host)}"`), host)
  }
})

const distributions = (name: StepName, world: World) =>
  steps
    .filter(step => step.name === name)
    .flatMap(({ objects }) => objects(world))
    .flatMap((object, _, all) =>
      object.kind === 'ManagedResource' ? managedContents(all, object.metadata.name) : [object],
    )
    .filter(({ kind, metadata }) => kind === 'Service' && zonal.includes(metadata.name))
    .map(({ spec }) => valueAt(spec, 'trafficDistribution'))
const zonal = ['gardener-apiserver', 'gardener-admission-controller']

t.test('traffic to the servers of Gardener stays in its zone where the Garden says so', async t => {
  const routing = { runtimeCluster: { settings: { topologyAwareRouting: { enabled: true } } } }
  const on = worldWithSecrets({ garden: garden({ spec: routing }) })
  for (const step of ['gardener-apiserver', 'gardener-control-plane'] as const) {
    t.strictSame(distributions(step, { ...on, runtimeMinor: 33 }), ['PreferClose'])
    t.strictSame(distributions(step, { ...on, runtimeMinor: 34 }), ['PreferSameZone'])
    t.strictSame(distributions(step, worldOf()), [undefined])
  }
})
