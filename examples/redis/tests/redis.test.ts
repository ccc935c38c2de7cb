// A Redis in an API server in this process: with replicas, with a binding of its own, and what may not be changed.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { conditionOf, isTrue, type KubeObject, secretText } from 'espalier'
import { startOperator } from 'espalier/testing'

const operator = await startOperator({ folder: join(import.meta.dirname, '..') })
after(() => operator.stop())

const namespace = 'default'
const redis = (name: string, spec: object): KubeObject => ({
  apiVersion: 'cache.cs.sap.com/v1alpha1',
  kind: 'Redis',
  metadata: { namespace, name },
  spec,
})
const statefulSet = (name: string) => ({ apiVersion: 'apps/v1', kind: 'StatefulSet', namespace, name })
const secret = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', namespace, name })
const ready = (object: KubeObject) => isTrue(conditionOf(object, 'Ready'))
const cache = redis('cache', { replicas: 3, metrics: { enabled: true }, persistence: { enabled: true, size: '1Gi' } })

test('a Redis has a master and replicas, and clients learn how to connect when it is ready', async () => {
  await operator.create(cache)
  await operator.until(cache, ready)
  const binding = await operator.until(secret('redis-cache-binding'))
  const password = await operator.until(secret('redis-cache-password'))
  assert.equal(secretText(binding, 'masterHost'), 'redis-cache-master.default.svc.cluster.local')
  assert.equal(secretText(binding, 'masterPort'), '6379')
  assert.equal(secretText(binding, 'password'), secretText(password, 'password'))
  const replicas = JSON.stringify(await operator.until(statefulSet('redis-cache-replicas')))
  assert.match(replicas, /"replicas":2.*"storage":"1Gi"/)
  assert.match(replicas, /"topologyKey":"kubernetes.io\/hostname"/)
  assert.match(replicas, /"matchLabelKeys":\["controller-revision-hash"\]/)
  assert.match(replicas, /redis_exporter/)
})

test('more replicas keep the password', async () => {
  const before = await operator.until(secret('redis-cache-binding'))
  await operator.client.patch(
    { ...cache, namespace, name: 'cache' },
    { type: 'merge', body: { spec: { replicas: 4 } } },
    { fieldManager: 'test' },
  )
  await operator.until(statefulSet('redis-cache-replicas'), ({ spec }) => (spec as { replicas: number }).replicas === 3)
  const { generation } = await operator.until(cache).then(({ metadata }) => metadata)
  await operator.until(
    cache,
    ({ status }) => (status as { appliedGeneration?: number }).appliedGeneration === generation,
  )
  assert.deepEqual((await operator.until(secret('redis-cache-binding'))).data, before.data)
})

test('with sentinels there is one StatefulSet, and the binding is what its template makes', async () => {
  const template = '{ uri: "redis://:{{ .password }}@{{ .sentinelHost }}:{{ .sentinelPort }}#{{ .masterName }}" }'
  const sentinels = redis('watched', {
    replicas: 3,
    sentinel: { enabled: true },
    binding: { secretName: 'mine', template },
  })
  await operator.create(sentinels)
  await operator.until(sentinels, ready)
  const mine = await operator.until(secret('mine'))
  assert.match(
    secretText(mine, 'uri') ?? '',
    /^redis:\/\/:.+@redis-watched\.default\.svc\.cluster\.local:26379#mymaster$/,
  )
  await operator.until(statefulSet('redis-watched'), ({ spec }) => (spec as { replicas: number }).replicas === 3)
})

test('a text of the spec stays a text, whatever its lines look like', async () => {
  const planted = '8\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: planted\n#'
  const lines = redis('lines', {
    ...{ version: planted, metrics: { enabled: true } },
    persistence: { enabled: true, size: '1Gi', storageClass: planted },
  })
  await operator.create(lines)
  const { spec } = await operator.until(statefulSet('redis-lines-master'))
  const { template, volumeClaimTemplates } = spec as {
    template: { spec: { containers: { image: string }[] } }
    volumeClaimTemplates: { spec: { storageClassName: string } }[]
  }
  assert.equal(template.spec.containers[0]?.image, `redis:${planted}`)
  assert.equal(volumeClaimTemplates[0]?.spec.storageClassName, planted)
  assert.equal(
    await operator.client.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'planted' }),
    undefined,
  )
})

test('sentinel and persistence cannot be changed', async () => {
  const change = (spec: object) =>
    operator.client.patch(
      { ...cache, namespace, name: 'cache' },
      { type: 'merge', body: { spec } },
      { fieldManager: 'test' },
    )
  await assert.rejects(change({ sentinel: { enabled: true } }), /spec\.sentinel\.enabled.*is immutable/)
  await assert.rejects(change({ persistence: { size: '2Gi' } }), /spec\.persistence.*is immutable/)
  await assert.rejects(change({ persistence: null }), /spec\.persistence.*is immutable/)
})

test('a Redis that is deleted takes everything along', async () => {
  await operator.delete(cache)
  for (const ref of [
    cache,
    statefulSet('redis-cache-master'),
    secret('redis-cache-binding'),
    secret('redis-cache-password'),
  ])
    await operator.untilGone(ref)
})
