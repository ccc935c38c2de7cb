// istio with the definition of the Kyma Istio module, whose API server drops the fields of the status that are ours alone.
import t from 'tap'
import { componentLabel } from '../../../functions/istio/desired/chart-object.ts'
import { istioNames } from '../../../shared/api/istio/names.ts'
import { valueAt } from '../../../shared/core/json/fields.ts'
import { isMap } from '../../../shared/core/json/json.ts'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { later } from '../../harness/component/orchards.ts'
import { istioGround, meshWorkload } from '../../harness/istio/istio-ground.ts'
import { matches } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'
import { goIstioDefinition } from '../../make/istio/go-definition.ts'

const ground = await istioGround(t, { definition: goIstioDefinition() as unknown as KubeObject })
const { client } = ground
const { annotations, prefix } = istioNames

const writes = () => ground.requests.filter(({ method }) => method !== 'GET')
const kept = async () => JSON.parse((await ground.read()).metadata.annotations?.[annotations.status] ?? '{}')
const gateway = async () => {
  const live = await client.get(meshWorkload('istio-ingressgateway'))
  return valueAt(live?.spec, 'template', 'metadata', 'annotations', annotations.restartedAt)
}

t.test(
  'IS-317 with the definition of the Go operator an Istio is installed, and an annotation keeps what is noted',
  async t => {
    await ground.create()
    await ground.settle()
    const { status } = await ground.read()
    t.strictSame(Object.keys(status ?? {}).toSorted(), ['conditions', 'state'])
    t.equal(status?.state, 'Ready')
    matches(t, await kept(), { installation: { state: 'Ready' }, observedGeneration: 1 })
    t.ok((await kept()).inventory.length > 50)
    ground.requests.length = 0
    t.equal((await ground.call()).outcome, 'settled')
    t.strictSame(writes(), [], 'a routine call writes nothing')
  },
)

t.test('IS-317 a field restarts the gateway once', async t => {
  await ground.change({ spec: { config: { numTrustedProxies: 2 } } })
  await ground.settle(later(60))
  const stamp = await gateway()
  t.ok(stamp)
  await ground.settle(later(120))
  t.equal(await gateway(), stamp)
  t.ok((await kept()).restarts.every(isMap))
})

t.test('IS-317 what somebody writes into that annotation breaks nothing', async t => {
  for (const text of [
    '{',
    '[]',
    '{"inventory":7,"restarts":{},"installation":[]}',
    '{"inventory":[7],"restarts":[{}]}',
    null,
  ]) {
    const body = { metadata: { annotations: { [annotations.status]: text } } }
    await ground.change(body)
    await ground.settle(later(180))
    t.ok((await kept()).inventory.length > 50, String(text))
  }
})

t.test('IS-330 an inventory that somebody makes up deletes nothing of others', async t => {
  const gateway = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'gateway', namespace: 'default', labels: { [componentLabel]: 'IngressGateways' } },
    spec: { ports: [{ port: 443 }] },
  }
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'theirs', namespace: 'istio-system' } }
  const foreign = await Promise.all(
    [gateway, settings].map(object => client.create(object, { fieldManager: 'somebody' })),
  )
  const named = foreign.map(({ kind, metadata: { name, namespace } }) => ({ version: 'v1', kind, name, namespace }))
  const applied = { phase: 'Ready', digest: 'a', lastAppliedAt: '2026-01-01T00:00:00Z' }
  const forged = named.map(item => ({ ...item, ...applied }))
  const { inventory, ...noted } = await kept()
  const text = JSON.stringify({ ...noted, inventory: [...inventory, ...forged] })
  await ground.change({ metadata: { annotations: { [annotations.status]: text } } })
  await ground.settle(later(200))
  const found = await Promise.all(foreign.map(object => client.get(refOf(object))))
  t.strictSame(
    found.map(object => object?.metadata.resourceVersion),
    foreign.map(object => object.metadata.resourceVersion),
  )
  t.equal((await kept()).inventory.length, inventory.length)
  for (const object of foreign) await client.delete(refOf(object), {})
})

t.test('IS-317 it is deleted, with all that was installed', async t => {
  const { metadata, apiVersion, kind } = await ground.read()
  await client.delete({ apiVersion, kind, namespace: metadata.namespace ?? '', name: metadata.name }, {})
  await eventually('the Istio is gone', async () => {
    await ground.call(later(240))
    return (await ground.read()) === undefined
  })
  t.equal(await client.get(meshWorkload('istiod')), undefined)
  const definitions = await client.list({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' })
  t.strictSame(
    definitions.map(one => one.metadata.name),
    [prefix],
  )
})
