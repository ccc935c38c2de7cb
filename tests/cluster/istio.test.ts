// Istio on a real API server, whose controllers roll its workloads out: installed, repaired, upgraded by a minor version.
import t from 'tap'
import { istioNames } from '../../shared/api/istio/names.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { later } from '../harness/component/orchards.ts'
import { istioGround, meshWorkload } from '../harness/istio/istio-ground.ts'
import { matches } from '../harness/matches.ts'
import { chartFolder, chartTexts } from '../make/istio/istio-chart-sets.ts'

const ground = await istioGround(t)
const { client } = ground
const { mesh } = istioNames.namespaces

const image = (name: string) => `registry.example.com/istio/${name}:1.29.3`
const former = {
  settings: {
    charts: chartFolder(t, chartTexts('1.29.3')),
    images: { pilot: image('pilot'), cni: image('install-cni'), proxy: image('proxyv2') },
  },
}

const workloads = ['istiod', 'istio-cni-node', 'istio-ingressgateway']

const live = async (): Promise<KubeObject[]> => {
  const found = await Promise.all(workloads.map(name => client.get(meshWorkload(name))))
  return found.filter(object => object !== undefined)
}

const imagesOf = async () =>
  (await client.list({ apiVersion: 'v1', kind: 'Pod', namespace: mesh }))
    .flatMap(({ spec }) => (spec as { containers: { image: string }[] }).containers.map(({ image }) => image))
    .map(image => image.split(':').at(-1))

t.test('IS-18 a new Istio is installed wave by wave and becomes Ready', async t => {
  await ground.create()
  await ground.settle(former)
  const { status, metadata } = await ground.read()
  matches(t, status, { state: 'Ready', installation: { version: '1.29.3', state: 'Ready' } })
  matches(t, metadata.annotations?.[istioNames.annotations.lastApplied], /"IstioTag":"1\.29\.3"/)
  t.equal((await live()).length, workloads.length)
  t.ok((await imagesOf()).every(tag => tag === '1.29.3'))
})

t.test('IS-38 what somebody changes by kubectl is put right, their label stays', async t => {
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: mesh, name: 'istio' }
  const before = await client.get(ref)
  await client.patch(
    ref,
    { type: 'merge', body: { data: { mesh: 'rootNamespace: other' }, metadata: { labels: { mine: 'yes' } } } },
    { fieldManager: 'kubectl-edit' },
  )
  await ground.settle({ ...former, ...later(60) })
  const after = await client.get(ref)
  t.strictSame(after?.data, before?.data)
  t.equal(after?.metadata.labels?.mine, 'yes')
})

t.test('IS-41 an upgrade rolls control plane and gateway, and deletes nothing', async t => {
  const before = (await live()).map(({ metadata }) => metadata.uid)
  await ground.settle()
  matches(t, (await ground.read()).status, { state: 'Ready', installation: { version: '1.30.2-distroless' } })
  t.strictSame(
    (await live()).map(({ metadata }) => metadata.uid),
    before,
  )
  matches(
    t,
    (await ground.read()).metadata.annotations?.[istioNames.annotations.lastApplied],
    /"IstioTag":"1\.30\.2-distroless"/,
  )
})

t.test('IS-13 a routine call writes nothing', async t => {
  const before = ground.requests.length
  t.equal((await ground.call()).outcome, 'settled')
  t.strictSame(
    ground.requests.slice(before).filter(({ method }) => method !== 'GET'),
    [],
  )
})
