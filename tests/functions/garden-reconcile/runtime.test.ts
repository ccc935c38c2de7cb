// What garden-reconcile brings to the runtime cluster before there is a virtual garden.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { flowOf } from '../../../functions/garden-reconcile/rules/flow.ts'
import { pruningSteps } from '../../../functions/garden-reconcile/rules/ownership.ts'
import { steps } from '../../../functions/garden-reconcile/rules/steps.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import { type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import { matches } from '../../harness/matches.ts'
import { garden } from '../../make/garden/garden.ts'
import { managedContents } from '../../make/garden/managed-contents.ts'
import { worldWithSecrets } from '../../make/garden/secret-world.ts'

const step = (name: string) => {
  const found = steps.find(row => row.name === name)
  if (found === undefined) throw new TypeError(`no step ${name}`)
  return found
}

const objectsOf = (name: string, world: World): readonly KubeObject[] => step(name).objects(world)

const golden = (variant: string): KubeObject[] =>
  parse(readFileSync(join(import.meta.dirname, 'golden', 'runtime', `${variant}.yaml`), 'utf8'))

const inRuntime = (...objects: readonly KubeObject[]): World['runtime'] =>
  new Map(
    Object.entries(Object.groupBy(objects, ({ apiVersion, kind }) => `${apiVersion} ${kind}`)) as [
      string,
      KubeObject[],
    ][],
  )

const zoned = (zones?: readonly string[], controlPlane?: { highAvailability: object }) =>
  worldWithSecrets({
    garden: garden({
      spec: {
        runtimeCluster: { provider: { ...(zones && { zones: [...zones] }) } },
        virtualCluster: { ...(controlPlane && { controlPlane }) },
      },
    }),
  })

t.test('the namespace of all that a Garden has, golden', async t => {
  t.strictSame(objectsOf('namespace', zoned(['a', 'b'])), golden('namespace'))
})

const gateway = (ingress: readonly object[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'istio-ingressgateway', namespace: 'virtual-garden-istio-ingress' },
  status: { loadBalancer: { ingress } },
})

t.test('GA-78 the Service of the API server waits for an address of the gateway', async t => {
  const waits = (world: World) => step('apiserver-service').waits?.(world)
  const named = ['Service virtual-garden-istio-ingress/istio-ingressgateway: has no address yet']
  t.strictSame(waits(worldWithSecrets()), named)
  t.strictSame(waits(worldWithSecrets({ runtime: inRuntime(gateway([])) })), named)
  t.strictSame(waits(worldWithSecrets({ runtime: inRuntime(gateway([{ ip: '198.51.100.7' }])) })), [])
  t.strictSame(waits(worldWithSecrets({ runtime: inRuntime(gateway([{ hostname: 'lb.example' }])) })), [])
  t.strictSame(objectsOf('apiserver-service', worldWithSecrets()), golden('apiserver-service'))
})

const nameOf = ({ metadata }: KubeObject): string => metadata.name

t.test('the CRDs that a Garden brings, by what is switched on', async t => {
  const crds = (world: World) => objectsOf('crds', world).map(nameOf)
  const all = crds(worldWithSecrets())
  t.equal(all.length, 27)
  const spec = { runtimeCluster: { settings: { verticalPodAutoscaler: { enabled: false } } } }
  t.notOk(crds(worldWithSecrets({ garden: garden({ spec }) })).some(name => name.startsWith('vertical')))
  const istiod = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'istiod', namespace: 'istio-system' },
  }
  t.notOk(crds(worldWithSecrets({ runtime: inRuntime(istiod) })).some(name => name.endsWith('istio.io')))
})

const withRuntime = (runtimeCluster: object): World =>
  worldWithSecrets({ garden: garden({ spec: { runtimeCluster } }) })
const components = (world: World) => [...objectsOf('runtime-components', world), ...objectsOf('nginx-ingress', world)]

for (const mr of ['garden-system', 'vpa', 'etcd-druid', 'nginx-ingress'])
  t.test(`what the resource manager of the runtime cluster applies, golden: ${mr}`, async t => {
    t.strictSame(managedContents(components(worldWithSecrets()), mr), golden(mr))
  })

const nginxData = (providerConfig: object): unknown => {
  const objects = components(withRuntime({ ingress: { controller: { kind: 'nginx', providerConfig } } }))
  return managedContents(objects, 'nginx-ingress').find(({ kind }) => kind === 'ConfigMap')?.data
}

t.test('GA-83 settings of nginx lie over the defaults, as texts', async t => {
  const defaults = {
    'server-name-hash-bucket-size': '256',
    'use-proxy-protocol': 'false',
    'worker-processes': '2',
    'allow-snippet-annotations': 'false',
  }
  t.strictSame(nginxData({}), defaults)
  const given = { 'worker-processes': 8, 'enable-brotli': true, 'proxy-body-size': '1m' }
  const texts = { 'worker-processes': '8', 'enable-brotli': 'true', 'proxy-body-size': '1m' }
  t.strictSame(nginxData(given), { ...defaults, ...texts })
})

t.test('GA-82 a changed content is a new immutable Secret, and the same content one of the same name', async t => {
  const of = (world: World) => {
    const objects = components(world).filter(({ metadata }) => metadata.name.includes('nginx-ingress'))
    const [secret, resource] = objects as [KubeObject, KubeObject & { spec: { secretRefs: { name: string }[] } }]
    t.equal((secret as KubeObject & { immutable?: boolean }).immutable, true)
    t.strictSame(resource.spec.secretRefs, [{ name: secret.metadata.name }])
    return secret.metadata.name
  }
  const changed = withRuntime({ ingress: { controller: { kind: 'nginx', providerConfig: { 'worker-processes': 8 } } } })
  t.equal(of(worldWithSecrets()), of(worldWithSecrets()))
  t.not(of(worldWithSecrets()), of(changed))
})

const withoutVpa = withRuntime({ settings: { verticalPodAutoscaler: { enabled: false } } })
const vpaServed: World['runtime'] = new Map([
  ...withoutVpa.runtime,
  ['autoscaling.k8s.io/v1 VerticalPodAutoscaler', []],
])
const atNoon = new Date('2026-03-01T12:00:00Z')

t.test('GA-68 a Garden that brings no VerticalPodAutoscaler needs one that is there', async t => {
  const alone = [{ ...step('resource-manager'), needs: [], secrets: () => [] }]
  const { faults, writes } = flowOf(alone, withoutVpa, atNoon)
  t.strictSame(faults, ['VPA is required for runtime cluster but CRD is not installed'])
  t.strictSame(writes, [])
  t.strictSame(flowOf(alone, { ...withoutVpa, runtime: vpaServed }, atNoon).faults, [])
  t.strictSame(flowOf(alone, worldWithSecrets(), atNoon).faults, [])
  t.notOk(namesOf('ManagedResource', components(withoutVpa)).includes('vpa'))
  t.ok(namesOf('ManagedResource', components(worldWithSecrets())).includes('vpa'))
})

const namesOf = (wanted: string, objects: readonly KubeObject[]) =>
  objects.filter(({ kind }) => kind === wanted).map(nameOf)

const applied = (apiVersion: string, kind: string, metadata: KubeObject['metadata']): KubeObject => ({
  apiVersion,
  kind,
  metadata: {
    ...metadata,
    uid: metadata.name,
    labels: { 'operator.gardener.cloud/managed-by': 'garden-reconcile' },
    managedFields: [{ manager: 'garden-reconcile', operation: 'Apply' }],
  },
})

t.test('GA-68 a VerticalPodAutoscaler that is switched off later goes, and its kinds stay', async t => {
  const there = [
    applied('resources.gardener.cloud/v1alpha1', 'ManagedResource', { name: 'vpa', namespace: 'garden' }),
    applied('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
      name: 'verticalpodautoscalers.autoscaling.k8s.io',
    }),
  ]
  const world = { ...withoutVpa, runtime: inRuntime(...there) }
  const declared = [...objectsOf('crds', world), ...components(world)]
  t.strictSame(pruningSteps(world, declared, 'garden-reconcile'), [{ do: 'delete', target: there[0] }])
})

t.test('gates and limits of the VerticalPodAutoscaler are arguments of its programs', async t => {
  const argsOf = (verticalPodAutoscaler: object) => {
    const objects = components(withRuntime({ settings: { verticalPodAutoscaler } }))
    const programs = managedContents(objects, 'vpa').filter(({ kind }) => kind === 'Deployment')
    return programs.map(({ metadata, spec }) => {
      const { template } = spec as { template: { spec: { containers: { args: string[] }[] } } }
      return [metadata.name, template.spec.containers[0]?.args ?? []] as const
    })
  }
  const plain = new Map(argsOf({}))
  const added = argsOf({
    featureGates: { InPlaceOrRecreate: true, A: false },
    maxAllowed: { memory: '8Gi', cpu: 4 },
  }).map(([name, args]) => [name, args.filter(arg => !plain.get(name)?.includes(arg))])
  const gates = '--feature-gates=A=false,InPlaceOrRecreate=true'
  const limits = ['cpu=4', 'memory=8Gi'].map(text => `--container-recommendation-max-allowed-${text}`)
  t.strictSame(added, [
    ['vpa-recommender', [gates, ...limits]],
    ['vpa-updater', [gates]],
    ['vpa-admission-controller', [gates]],
  ])
})

const istiodDeployment = (status: string, metadata: object = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'istiod', namespace: 'istio-system', ...metadata },
  status: { conditions: [{ type: 'Available', status }] },
})

const withIstiod = (...given: Parameters<typeof istiodDeployment>) =>
  worldWithSecrets({ runtime: inRuntime(istiodDeployment(...given)) })

const istioOf = (namespace: string): KubeObject => ({
  apiVersion: 'operator.kyma-project.io/v1alpha2',
  kind: 'Istio',
  metadata: { name: 'default', namespace },
})

const refsOf = (objects: readonly KubeObject[]) => objects.map(object => refText(refOf(object)))
const withoutSecrets = (refs: readonly string[]) => refs.filter(ref => !ref.startsWith('Secret '))

t.test('GA-166 a foreign istiod is used and left alone', async t => {
  const foreign = withIstiod('True')
  t.strictSame(withoutSecrets(refsOf(objectsOf('istio', foreign))), [
    'Namespace virtual-garden-istio-ingress',
    'ManagedResource istio-system/virtual-garden-istio',
  ])
  t.notOk(refsOf(objectsOf('crds', foreign)).some(ref => ref.endsWith('istio.io')))
  const content = managedContents(objectsOf('istio', foreign), 'virtual-garden-istio')
  t.strictSame(content, golden('istio-gateway-foreign'))
  const names = content.flatMap(({ metadata }) => metadata.namespace ?? metadata.name)
  t.strictSame([...new Set(names)], ['virtual-garden-istio-ingress'])
  const gateway = objectsOf('apiserver-sni', foreign).find(({ kind }) => kind === 'Gateway')
  const pods = content.find(({ kind }) => kind === 'Deployment')?.spec as { template: { metadata: { labels: object } } }
  const { selector } = (gateway?.spec ?? {}) as { selector: Record<string, string> }
  matches(t, pods.template.metadata.labels, selector)
  t.equal(selector['operator.gardener.cloud/managed-by'], 'garden-reconcile')
})

t.test(
  'GA-166 a foreign istiod that is not available is waited for, and a mesh of our own takes the place of one that went',
  async t => {
    const waits = (world: World) => step('istio').waits?.(world)
    t.strictSame(waits(withIstiod('False')), ['Deployment istio-system/istiod: is not available'])
    t.strictSame(waits(withIstiod('True')), [])
    t.strictSame(waits(worldWithSecrets()), [])
    const both = [
      ...['Namespace istio-system', 'ManagedResource istio-system/istio-system'],
      ...['Namespace virtual-garden-istio-ingress', 'ManagedResource istio-system/virtual-garden-istio'],
    ]
    t.strictSame(withoutSecrets(refsOf(objectsOf('istio', worldWithSecrets()))), both)
    const ours = { labels: { 'operator.gardener.cloud/managed-by': 'garden-reconcile' } }
    const ofManagedResource = { annotations: { 'resources.gardener.cloud/origin': 'seed:istio-system/istio-system' } }
    for (const metadata of [ours, ofManagedResource])
      t.strictSame(withoutSecrets(refsOf(objectsOf('istio', withIstiod('False', metadata)))), both)
  },
)

t.test('GA-166 an Istio that has no istiod yet is waited for, and no mesh is made beside it', async t => {
  const coming = worldWithSecrets({ runtime: inRuntime(istioOf('kyma-system')) })
  t.strictSame(refsOf(objectsOf('istio', coming)), ['Namespace virtual-garden-istio-ingress'])
  t.notOk(refsOf(objectsOf('crds', coming)).some(ref => ref.endsWith('istio.io')))
  t.strictSame(step('istio').waits?.(coming), [
    'Deployment istio-system/istiod: does not exist yet; Istio kyma-system/default installs it',
  ])
  const made: KubeObject = {
    apiVersion: 'resources.gardener.cloud/v1alpha1',
    kind: 'ManagedResource',
    metadata: { name: 'istio-system', namespace: 'istio-system' },
  }
  const meshes = [[istioOf('elsewhere')], [istioOf('kyma-system'), made]]
  for (const world of meshes.map(objects => worldWithSecrets({ runtime: inRuntime(...objects) }))) {
    t.ok(refsOf(objectsOf('istio', world)).includes('ManagedResource istio-system/istio-system'))
    t.strictSame(step('istio').waits?.(world), [])
  }
})

t.test('the mesh of a Garden is as its golden files', async t => {
  const objects = objectsOf('istio', zoned(['a', 'b']))
  t.strictSame(managedContents(objects, 'istio-system'), golden('istio-system'))
  const zones = { 'high-availability-config.resources.gardener.cloud/zones': 'a,b' }
  const namespaces = objects.filter(({ kind }) => kind === 'Namespace')
  t.strictSame(
    namespaces.map(({ metadata }) => metadata.annotations),
    [zones, zones],
  )
})

t.test('namespaces are applied before what is in them', async t => {
  const rows = steps.filter(({ name }) => name === 'istio').map(row => ({ ...row, needs: [] }))
  const { writes } = flowOf(rows, worldWithSecrets(), atNoon)
  const orders = writes.map(write =>
    'object' in write && write.object.kind === 'Namespace' ? write.order : (write.order ?? 0),
  )
  t.strictSame(
    orders.toSorted((a, b) => Number(a) - Number(b)),
    [-1, -1, 0, 0, 0, 0],
  )
})

const loggingResources = ['vali', 'fluent-operator', 'fluent-bit', 'fluent-operator-custom-resources-garden']

for (const mr of loggingResources)
  t.test(`what keeps the logs of a runtime cluster, golden: ${mr}`, async t => {
    t.strictSame(managedContents(objectsOf('logging', worldWithSecrets()), mr), golden(mr))
  })

t.test('logging has the names that are looked for when a Garden is checked', async t => {
  const refs = withoutSecrets(refsOf(objectsOf('logging', worldWithSecrets())))
  t.strictSame(
    refs,
    loggingResources.map(name => `ManagedResource garden/${name}`),
  )
  const inside = loggingResources.flatMap(mr => refsOf(managedContents(objectsOf('logging', worldWithSecrets()), mr)))
  const named = ['StatefulSet garden/vali', 'Deployment garden/fluent-operator', 'Service garden/logging']
  t.strictSame(
    named.filter(ref => !inside.includes(ref)),
    [],
  )
})

t.test('the resource manager of the runtime cluster, golden', async t => {
  t.strictSame(objectsOf('resource-manager', worldWithSecrets()), golden('resource-manager'))
})

t.test('GA-366 Services have both families where the runtime cluster has, and vali runs on IPv4 alone', async t => {
  const of = (pods: string[], ipFamilies?: string[]) => {
    const networking = { pods, services: ['10.2.0.0/16'], ...(ipFamilies && { ipFamilies }) }
    return worldWithSecrets({ garden: garden({ spec: { runtimeCluster: { networking } } } as never) })
  }
  const [four, six] = ['10.1.0.0/16', 'fd00:1::/64'] as [string, string]
  const familiesOf = (world: World) => {
    const content = managedContents(objectsOf('istio', world), 'virtual-garden-istio')
    const { ipFamilies, ipFamilyPolicy } = Object(content.find(({ kind }) => kind === 'Service')?.spec)
    return [ipFamilies, ipFamilyPolicy]
  }
  const proxies = (world: World) =>
    [
      managedContents(objectsOf('istio', world), 'istio-system'),
      managedContents(objectsOf('istio', world), 'virtual-garden-istio'),
    ]
      .flat()
      .filter(({ kind }) => kind === 'Deployment')
      .map(deployment => JSON.stringify(deployment).includes('{"name":"ISTIO_DUAL_STACK","value":"true"}'))
  for (const families of [undefined, ['IPv4'], ['IPv6']]) {
    const world = of([four], families)
    t.strictSame(
      [familiesOf(world), proxies(world)],
      [
        [undefined, undefined],
        [false, false],
      ],
      families?.join() ?? 'none',
    )
  }
  for (const families of [
    ['IPv4', 'IPv6'],
    ['IPv6', 'IPv4'],
  ]) {
    const world = of([four, six], families)
    t.strictSame(
      [familiesOf(world), proxies(world)],
      [
        [['IPv6', 'IPv4'], 'PreferDualStack'],
        [true, true],
      ],
    )
  }
  const logs = (world: World) => refsOf(objectsOf('logging', world)).includes('ManagedResource garden/vali')
  t.ok(logs(of([four])))
  t.notOk(logs(of([six], ['IPv6'])))
  t.notOk(logs(of([four, six], ['IPv4', 'IPv6'])))
})
