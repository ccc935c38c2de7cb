// What the cluster says, and what changes in it, is what is installed in the next call: capacity, provider, switches, images.
import t from 'tap'
import type { IstioSettings } from '../../../functions/istio/settings.ts'
import { valueAt, withValueAt } from '../../../shared/core/json/fields.ts'
import { mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import type { Log } from '../../../shared/core/log.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { istioGround, meshWorkload } from '../../harness/istio/istio-ground.ts'
import { lacks, matches } from '../../harness/matches.ts'
import { istioInstallation } from '../../make/istio/istio.ts'

const person = { fieldManager: 'person' }
const ground = await istioGround(t)
const { client } = ground

const inMesh = (apiVersion: string, kind: string, name: string) => ({
  apiVersion,
  kind,
  namespace: 'istio-system',
  name,
})
const scaler = inMesh('autoscaling/v2', 'HorizontalPodAutoscaler', 'istiod')
const budget = inMesh('policy/v1', 'PodDisruptionBudget', 'istio-ingressgateway')
const entry = inMesh('v1', 'Service', 'istio-ingressgateway')
const meshConfig = inMesh('v1', 'ConfigMap', 'istio')

/** The nodes are what the test says. */
const nodeIs = async (name: string, fields: { providerID?: string; cpu: string; memory: string }): Promise<void> => {
  const { providerID, ...capacity } = fields
  const ref = { apiVersion: 'v1', kind: 'Node', namespace: '', name }
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { ...(providerID && { providerID }) } }
  if ((await client.get(ref)) === undefined) await client.create(node, person)
  await client.patch(ref, { type: 'merge', body: { status: { capacity } } }, { ...person, subresource: 'status' })
}

const configMap = (namespace: string, name: string, data: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name },
  data,
})

const gone = (namespace: string, name: string) =>
  client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name }, {})

const annotation = (name: string) => `service.beta.kubernetes.io/aws-load-balancer-${name}`
const balancer = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    Object.entries((await client.get(entry))?.metadata.annotations ?? {}).filter(([key]) =>
      key.startsWith(annotation('')),
    ),
  )

const elb = { [annotation('proxy-protocol')]: '*', [annotation('connection-idle-timeout')]: '4000' }
const nlb = {
  [annotation('type')]: 'nlb',
  [annotation('scheme')]: 'internet-facing',
  [annotation('nlb-target-type')]: 'instance',
}

t.test('IS-29 elb-deprecated before the first installation means an ELB, until it is deleted and for ever', async t => {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'istio-system' } }
  await client.create(namespace, person)
  await client.create(configMap('istio-system', 'elb-deprecated'), person)
  for (const { metadata } of await client.list({ apiVersion: 'v1', kind: 'Node' }))
    await nodeIs(metadata.name, { cpu: '0', memory: '0' })
  await nodeIs('a', { providerID: 'aws:///eu-central-1a/i-0', cpu: '8', memory: '32Gi' })
  await ground.create()
  await ground.settle()
  t.strictSame(await balancer(), elb)
  await gone('istio-system', 'elb-deprecated')
  await ground.settle()
  t.strictSame(await balancer(), nlb)
  await client.create(configMap('istio-system', 'elb-deprecated'), person)
  await ground.settle()
  t.strictSame(await balancer(), nlb, 'made again, while there is an NLB')
})

t.test('IS-21 when the capacity changes, the next call applies the other profile', async t => {
  matches(t, await client.get(scaler), { spec: { minReplicas: 3, maxReplicas: 15 } })
  matches(t, await client.get(budget), { spec: { maxUnavailable: 1 } })
  await nodeIs('a', { cpu: '4', memory: '32Gi' })
  await ground.settle()
  matches(t, await client.get(scaler), { spec: { minReplicas: 1, maxReplicas: 1 } })
  t.equal(await client.get(budget), undefined)
  await nodeIs('b', { cpu: '1', memory: '1Gi' })
  await ground.settle()
  matches(t, await client.get(scaler), { spec: { minReplicas: 3, maxReplicas: 15 } })
})

t.test('IS-24 a timeout that is none is an Error with its path, and nothing is applied', async t => {
  const before = await client.get(meshConfig)
  const withTimeout = (timeout: string) => ({
    spec: { config: { authorizers: [{ name: 'a', service: 'a.b', port: 80, timeout }] } },
  })
  await ground.change(withTimeout('soon'))
  const description =
    'Could not merge Istio operator configuration: spec.config.authorizers[0].timeout: "soon" is not a duration such as 1.5s'
  matches(t, await ground.call(), { outcome: 'failed', requeueAfterSeconds: undefined })
  const { status } = await ground.read()
  matches(t, status, { state: 'Error', description })
  matches(
    t,
    status?.conditions?.find(({ type }) => type === 'Ready'),
    {
      status: 'False',
      reason: 'IstioCustomResourceMisconfigured',
      message: /has invalid configuration/,
    },
  )
  t.strictSame(await client.get(meshConfig), before)
  await ground.change(withTimeout('2m'))
  await ground.settle()
  matches(t, (await client.get(meshConfig))?.data, { mesh: /timeout: "?120s/ })
})

t.test('IS-26 an egress gateway comes with all its objects, and all of them go', async t => {
  const egress = async () => {
    const kinds = [
      ...[meshWorkload('istio-egressgateway'), inMesh('v1', 'Service', 'istio-egressgateway')],
      { ...scaler, name: 'istio-egressgateway' },
      { ...budget, name: 'istio-egressgateway' },
      inMesh('v1', 'ServiceAccount', 'istio-egressgateway-service-account'),
      inMesh('rbac.authorization.k8s.io/v1', 'Role', 'istio-egressgateway-sds'),
      inMesh('rbac.authorization.k8s.io/v1', 'RoleBinding', 'istio-egressgateway-sds'),
    ]
    const found = await Promise.all(kinds.map(ref => client.get(ref)))
    return kinds.filter((_, index) => found[index] !== undefined).length
  }
  t.equal(await egress(), 0)
  await ground.change({ spec: { components: { egressGateway: { enabled: true } } } })
  await ground.settle()
  t.equal(await egress(), 7)
  await ground.change({ spec: { components: { egressGateway: { enabled: false } } } })
  await ground.settle()
  t.equal(await egress(), 0)
  lacks(t, JSON.stringify((await ground.read()).status?.inventory), 'egress')
})

const featuresEvents = async (): Promise<KubeObject[]> =>
  (await client.list({ apiVersion: 'v1', kind: 'Event', namespace: 'kyma-system' })).filter(
    ({ reason }) => reason === 'IstioFeaturesIgnored',
  )

t.test(
  'IS-27 the switches of istio-features count without an edit; broken ones are off, and an Event says so',
  async t => {
    const features = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'kyma-system', name: 'istio-features' }
    const switched = (text: string) =>
      client.patch(features, { type: 'merge', body: { data: { features: text } } }, person)
    const hasCni = async () => (await client.get(meshWorkload('istio-cni-node'))) !== undefined
    await client.create(configMap('kyma-system', 'istio-features', { features: '{"disableCni":true}' }), person)
    await ground.settle()
    t.equal(await hasCni(), false)
    t.strictSame(await featuresEvents(), [])
    await switched('{"disableCni":true')
    await ground.settle()
    t.equal(await hasCni(), true)
    matches(t, await featuresEvents(), [
      { type: 'Warning', message: /^ConfigMap kyma-system\/istio-features: it is not valid JSON: / },
    ])
    await switched('{}')
    await ground.settle()
  },
)

const imagesOf = async (): Promise<string[]> => {
  const names = ['istiod', 'istio-cni-node', 'istio-ingressgateway']
  const found = await Promise.all(names.map(name => client.get(meshWorkload(name))))
  return found.flatMap(one =>
    mapsIn(valueAt(one, 'spec', 'template', 'spec', 'containers')).map(({ image }) => String(image)),
  )
}

t.test('IS-30 the images that were chosen run, pulled by the Secret that was chosen', async t => {
  const image = (name: string) => `registry.example:5000/mesh/${name}:1.30.2-own@sha256:${'a'.repeat(64)}`
  const settings: Partial<IstioSettings> = {
    images: { pilot: image('pilot'), cni: image('install-cni'), proxy: image('proxyv2') },
    pullSecret: 'registry-access',
    experimental: 'true',
  }
  const details = 'networkDetails:\n  dualStackIPEnabled: true\n'
  await client.create(configMap('kyma-system', 'kyma-provisioning-info', { details }), person)
  await ground.settle({ settings })
  t.strictSame(await imagesOf(), [image('pilot'), image('install-cni'), image('proxyv2')])
  matches(t, await client.get(inMesh('v1', 'ServiceAccount', 'istiod')), {
    imagePullSecrets: [{ name: 'registry-access' }],
  })
  matches(t, (await client.get(inMesh('v1', 'ConfigMap', 'istio-sidecar-injector')))?.data, {
    values: (text: unknown) =>
      matchesImages(text, { image: image('proxyv2'), hub: 'registry.example:5000/mesh', tag: '1.30.2-own' }),
  })
})

t.test('IS-22 addresses of both families are used where the cluster has them and the flavour may', async t => {
  matches(t, await client.get(entry), { spec: { ipFamilyPolicy: 'RequireDualStack' } })
  matches(t, (await client.get(meshConfig))?.data, { mesh: /ISTIO_DUAL_STACK: "?true/ })
  await ground.settle()
  lacks(t, String(mapOrEmpty((await client.get(meshConfig))?.data).mesh), 'ISTIO_DUAL_STACK')
})

const matchesImages = (text: unknown, expected: { image: string; hub: string; tag: string }): boolean => {
  const { hub, tag, proxy } = mapOrEmpty(JSON.parse(String(text)).global)
  return hub === expected.hub && tag === expected.tag && mapOrEmpty(proxy).image === expected.image
}

t.test('IS-34 an overlay of something that no chart makes is logged, and holds nothing', async t => {
  const said: string[] = []
  const note = (_: object, message: string) => void said.push(message)
  const log: Log = { debug: note, info: note, warn: note, error: note }
  const { production, evaluation } = istioInstallation.profiles ?? {}
  if (!production || !evaluation) throw new Error('there are no profiles')
  const overlays = [
    { kind: 'Service', name: 'nobody', patches: [{ path: 'metadata.labels.a\\.example/b', value: 'c' }] },
  ]
  const spec = withValueAt(production.spec, ['components', 'pilot', 'k8s', 'overlays'], overlays)
  const settings = { profiles: { evaluation, production: { ...production, spec } } }
  await ground.settle({ settings, log })
  const missed = 'Service nobody is not rendered, but overlay metadata.labels.a\\.example/b needs it'
  t.ok(said.includes(missed), said.join('\n'))
  matches(t, (await ground.read()).status, { state: 'Ready' })
})
