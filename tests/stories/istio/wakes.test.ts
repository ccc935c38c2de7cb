// Who wakes an Istio: the relay with the subscriptions of serverless.yml, and the real function behind a host that never asks to be called
// again. So whatever happens here happens because of an event.
import t from 'tap'
import { istio as istioFunction } from '../../../functions/istio/index.ts'
import { istioCrd } from '../../../shared/api/istio/crd.ts'
import { istioNames } from '../../../shared/api/istio/names.ts'
import { istioKind } from '../../../shared/api/istio.ts'
import type { GroupVersionKind, KubeObject } from '../../../shared/core/objects/object.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { processContext } from '../../../shared/runtime/context.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { clientTo } from '../../harness/clusters/cluster-client.ts'
import { hostFor, relayOf } from '../../harness/clusters/relay-of.ts'
import { define } from '../../harness/clusters/test-definitions.ts'

const person = { fieldManager: 'person' }
const { finalizer, labels, prefix } = istioNames
const cluster = await anyCluster(t, { own: true })
const client = clientTo(t, cluster)

/** Kinds that Istio and others bring, as far as events need them. */
const foreignKinds: readonly [GroupVersionKind, plural: string][] = [
  [{ apiVersion: 'networking.istio.io/v1alpha3', kind: 'EnvoyFilter' }, 'envoyfilters'],
  [{ apiVersion: 'security.istio.io/v1', kind: 'PeerAuthentication' }, 'peerauthentications'],
  [{ apiVersion: 'autoscaling.k8s.io/v1', kind: 'VerticalPodAutoscaler' }, 'verticalpodautoscalers'],
]

const foreignCrd = ({ apiVersion, kind }: GroupVersionKind, plural: string): KubeObject => {
  const [group = '', version = ''] = apiVersion.split('/')
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      // Names of the group k8s.io are kept for those whose API was reviewed.
      ...(group.endsWith('k8s.io') && { annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' } }),
    },
    spec: {
      group,
      names: { kind, plural },
      scope: 'Namespaced',
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  }
}

await define(client, istioCrd() as unknown as KubeObject)
for (const [kind, plural] of foreignKinds) await define(client, foreignCrd(kind, plural))
for (const name of ['kyma-system', 'istio-system', 'team-a'])
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, person)

const everywhere = clusters({ local: client })
const host = await hostFor(t, { istio: istioFunction }, processContext({ clusters: everywhere }))
await relayOf(t, { everywhere }, { host, names: ['istio'] })

const istioRef = (name: string, namespace = 'kyma-system') => ({ ...istioKind, namespace, name })
const make = (object: KubeObject) => client.create(object, person)
const makeIstio = (name: string, namespace = 'kyma-system', metadata: object = {}) =>
  make({ ...istioKind, metadata: { name, namespace, ...metadata }, spec: {} })
const merge = (object: KubeObject, body: object) =>
  client.patch(
    { ...object, namespace: object.metadata.namespace ?? '', name: object.metadata.name },
    { type: 'merge', body },
    person,
  )

/** What the status of an Istio says was installed for it. */
const installed = (name: string, ...objects: readonly KubeObject[]) => {
  const inventory = objects.map(({ apiVersion, kind, metadata }) => {
    const [version, group = ''] = apiVersion.split('/').reverse()
    return { ...(group && { group }), version, kind, namespace: metadata.namespace, name: metadata.name }
  })
  const body = { status: { state: 'Ready', inventory } }
  return client.patch(istioRef(name), { type: 'merge', body }, { ...person, subresource: 'status' })
}

/** Resolves when exactly these were called since the last time, whatever the order. */
const called = async (...keys: string[]): Promise<void> => {
  const inOrder = (list: readonly string[]) => [...new Set(list)].sort().join()
  await host.until(() => inOrder(host.called()) === inOrder(keys) && host.calls.every(({ isOver }) => isOver))
  host.forget()
}

const first = await makeIstio('a', 'kyma-system', { finalizers: [finalizer] })
await called('kyma-system/a')
await makeIstio('b')
await called('kyma-system/b')
await makeIstio('c', 'team-a')
await called('team-a/c')
const all = ['kyma-system/a', 'kyma-system/b', 'team-a/c']

t.test('IS-96 an edited spec calls the Istio; its status, labels and annotations do not', async t => {
  await merge(first, { metadata: { labels: { x: 'y' }, annotations: { x: 'y' } } })
  await client.patch(
    istioRef('a'),
    { type: 'merge', body: { status: { state: 'Ready' } } },
    { ...person, subresource: 'status' },
  )
  await merge(first, { spec: { compatibilityMode: true } })
  await host.until(() => host.calls.length > 0)
  await merge(first, { spec: { compatibilityMode: false } })
  await host.until(() => host.calls.length > 1)
  t.strictSame(host.called(), ['kyma-system/a', 'kyma-system/a'], 'one call for each of two edits, and no other')
  host.forget()
})

const module = { [labels.module]: 'istio' }
const named = (apiVersion: string, kind: string, namespace: string, metadata: object): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: 'one', namespace, ...metadata },
})

t.test('IS-104 what counts for the mesh calls every Istio', async t => {
  const rows = [
    { ...named('v1', 'ConfigMap', 'kyma-system', { name: 'istio-features' }), data: { features: '{}' } },
    named('v1', 'ConfigMap', 'istio-system', { name: 'elb-deprecated' }),
    named('networking.istio.io/v1alpha3', 'EnvoyFilter', 'istio-system', {}),
  ]
  for (const object of rows) {
    await make(object)
    await called(...all)
    await client.delete({ ...object, namespace: object.metadata.namespace ?? '', name: object.metadata.name }, {})
    await called(...all)
    t.pass(`${object.kind} ${object.metadata.name}`)
  }
})

t.test('IS-104 what carries the label of the module calls the Istio that counts, and nothing else does', async t => {
  const rows: [string, string][] = [
    ['security.istio.io/v1', 'PeerAuthentication'],
    ['networking.k8s.io/v1', 'NetworkPolicy'],
    ['autoscaling.k8s.io/v1', 'VerticalPodAutoscaler'],
  ]
  for (const [apiVersion, kind] of rows) {
    const spec = { podSelector: {} }
    await make({ ...named(apiVersion, kind, 'istio-system', { name: 'of-a-user' }), spec })
    const object = await make({ ...named(apiVersion, kind, 'istio-system', { labels: module }), spec })
    await called('kyma-system/a')
    await merge(object, { metadata: { annotations: { changed: 'yes' } } })
    await called('kyma-system/a')
    await merge(object, { spec: { podSelector: { matchLabels: { changed: 'yes' } } } })
    await called('kyma-system/a')
    await merge(object, { metadata: { labels: { [labels.module]: null } } })
    await called('kyma-system/a')
    t.pass(kind)
  }
})

t.test('IS-104 an object that was installed calls its Istio, but for the status of what scales itself', async t => {
  const ownerId = `${prefix}/owner-id`
  const owned = { labels: { [ownerId]: 'a' }, annotations: { [ownerId]: 'cluster/kyma-system/a' } }
  const hpa = named('autoscaling/v2', 'HorizontalPodAutoscaler', 'istio-system', owned)
  const config = { ...named('v1', 'ConfigMap', 'istio-system', owned), data: { mesh: 'a' } }
  const ofB = { labels: { [ownerId]: 'b' }, annotations: { [ownerId]: 'cluster/kyma-system/b' } }
  const unnamed = named('autoscaling/v2', 'HorizontalPodAutoscaler', 'istio-system', ofB)
  const other = { ...unnamed, metadata: { ...unnamed.metadata, name: 'other' } }
  await installed('a', config, hpa)
  await installed('b', other)
  await make(config)
  await called('kyma-system/a')
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'istiod' }
  await make({ ...hpa, spec: { maxReplicas: 3, scaleTargetRef } })
  await called('kyma-system/a')
  await make({ ...other, spec: { maxReplicas: 3, scaleTargetRef } })
  await called('kyma-system/b')
  await merge(config, { data: { mesh: 'b' } })
  await called('kyma-system/a')
  const currentMetrics: unknown[] = []
  const status = { desiredReplicas: 2, currentReplicas: 2, currentMetrics, conditions: [] }
  await client.patch(
    { ...hpa, namespace: 'istio-system', name: 'one' },
    { type: 'merge', body: { status } },
    { ...person, subresource: 'status' },
  )
  // One watch brings both, the status first.
  await merge(other, { metadata: { annotations: { changed: 'yes' } } })
  await host.until(() => host.called().includes('kyma-system/b'))
  t.strictSame(host.called(), ['kyma-system/b'], 'the status calls nobody')
  host.forget()
  await merge(hpa, { metadata: { annotations: { changed: 'yes' } } })
  await called('kyma-system/a')
})

t.test('IS-05 IS-104 the end of an Istio calls all others', async t => {
  await merge(first, { metadata: { finalizers: null } })
  await client.delete(istioRef('a'), {})
  await called('kyma-system/a', 'kyma-system/b', 'team-a/c')
  await client.delete(istioRef('c', 'team-a'), {})
  await host.until(() => host.called().includes('team-a/c'))
  t.pass('also beside one that is elsewhere')
})
