// What Kubernetes' own conformance specs ask of an API server and its controllers, beyond what tests/conformance/cases/FN-138.yaml records.
import t, { type Test } from 'tap'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { matches } from '../../harness/matches.ts'

/** Requests whose bodies and answers nobody parses. */
const rawRequest = async (t: Test, { embedded }: Awaited<ReturnType<typeof anyCluster>>) => {
  const { request, Agent } = await import('undici')
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  t.teardown(() => dispatcher.close())
  return { request, dispatcher, authorization: `Bearer ${embedded?.adminToken}` }
}

t.test('FN-139 strict decoding names unknown and repeated fields in the order of the body', async t => {
  const cluster = await anyCluster(t)
  const { url, namespace, api } = cluster
  const { request, dispatcher, authorization } = await rawRequest(t, cluster)
  const place = `/api/v1/namespaces/${namespace}/configmaps`
  const headers = { authorization, 'content-type': 'application/json' }
  const body = '{"zz":1,"metadata":{"name":"a","name":"a","yy":1},"data":{"a":"1","a":"2"},"xx":{"b":1}}'
  const sent = { method: 'POST', headers, body, dispatcher } as const
  const reply = await request(`${url}${place}?fieldValidation=Strict`, sent)
  const told = [
    'unknown field "zz"',
    'duplicate field "metadata.name"',
    'unknown field "metadata.yy"',
    'duplicate field "data.a"',
    'unknown field "xx"',
  ]
  matches(t, await reply.body.json(), { message: new RegExp(`strict decoding error: ${told.join(', ')}$`) })
  matches(t, await api.call('GET', `${place}/a`), { status: 404 })
})

t.test('FN-140 OpenAPI v2 has the versions of custom kinds that are served at that moment', async t => {
  const { api, embedded } = await anyCluster(t)
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', description: 'of it' } } } }
  const version = (name: string, served = true) => ({ name, served, storage: name === 'v1', schema })
  const names = { plural: 'things', kind: 'Thing' }
  const defined = (...versions: object[]) => ({ group: 'example.com', scope: 'Namespaced', names, versions })
  const body = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: defined(version('v1'), version('v2')),
  }
  const shown = async (): Promise<string[]> => {
    await embedded?.settled()
    const { body } = await api.call('GET', '/openapi/v2')
    const all = (body as { definitions?: object }).definitions ?? {}
    return Object.keys(all).filter(name => /^com\.example\.v\d\.Thing$/.test(name))
  }
  const change = async (spec: object): Promise<string[]> => {
    const contentType = 'application/merge-patch+json'
    await api.call('PATCH', `${definitions}/things.example.com`, { contentType, body: { spec } })
    return shown()
  }
  t.strictSame(await shown(), [])
  await api.call('POST', definitions, { body })
  t.strictSame(await shown(), ['com.example.v1.Thing', 'com.example.v2.Thing'])
  const { text } = await api.call('GET', '/openapi/v2')
  const { definitions: all } = JSON.parse(text) as { definitions: Record<string, object> }
  matches(t, all['com.example.v1.Thing'], {
    properties: { spec: { description: 'of it' }, metadata: { allOf: [{ $ref: /^#\/definitions\/.*ObjectMeta$/ }] } },
    'x-kubernetes-group-version-kind': [{ group: 'example.com', kind: 'Thing', version: 'v1' }],
  })
  t.strictSame(await change(defined(version('v1'), version('v2', false))), ['com.example.v1.Thing'])
  t.strictSame(await change(defined(version('v1'), version('v3'))), ['com.example.v1.Thing', 'com.example.v3.Thing'])
  await api.call('DELETE', `${definitions}/things.example.com`)
  t.strictSame(await shown(), [])
})

t.test('FN-146 OpenAPI v2 declares no fields of a kind that keeps unknown ones', async t => {
  const { api } = await anyCluster(t)
  const openAPIV3Schema = {
    type: 'object',
    properties: { spec: { type: 'object' } },
    'x-kubernetes-preserve-unknown-fields': true,
  }
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }]
  const body = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'opens.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'opens', kind: 'Open' }, versions },
  }
  await api.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body })
  await api.served('/apis/example.com/v1/opens')
  const { definitions } = JSON.parse((await api.call('GET', '/openapi/v2')).text) as { definitions: object }
  t.strictSame((definitions as Record<string, object>)['com.example.v1.Open'], {
    type: 'object',
    'x-kubernetes-group-version-kind': [{ group: 'example.com', kind: 'Open', version: 'v1' }],
  })
})

t.test('FN-147 a watch of tables has its columns in the first event alone', async t => {
  const cluster = await anyCluster(t)
  const { url, namespace, api } = cluster
  const { request, dispatcher, authorization } = await rawRequest(t, cluster)
  const place = `/api/v1/namespaces/${namespace}/secrets`
  for (const name of ['a', 'b']) await api.call('POST', place, { body: { metadata: { name, labels: { x: 'y' } } } })
  const query = 'watch=1&timeoutSeconds=1&labelSelector=x%3Dy'
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  const reply = await request(`${url}${place}?${query}`, { headers: { authorization, accept }, dispatcher })
  const events = (await reply.body.text()).trim().split('\n')
  const tables = events.map(line => (JSON.parse(line) as { object: { columnDefinitions: object[] | null } }).object)
  t.strictSame(
    tables.map(({ columnDefinitions }) => columnDefinitions?.length ?? null),
    [4, null],
  )
})

t.test('FN-149 livez and readyz with verbose list the checks of kube-apiserver', async t => {
  const cluster = await anyCluster(t)
  const { request, dispatcher, authorization } = await rawRequest(t, cluster)
  for (const [path, own] of [
    ['healthz', 'ping'],
    ['livez', 'etcd'],
    ['readyz', 'informer-sync'],
  ] as const) {
    const reply = await request(`${cluster.url}/${path}?verbose=1`, { headers: { authorization }, dispatcher })
    const lines = (await reply.body.text()).split('\n')
    t.ok(lines.includes(`[+]${own} ok`), `${path}: ${own}`)
    t.ok(lines.includes('[+]poststarthook/crd-informer-synced ok'), path)
    t.strictSame(lines.slice(-2), [`${path} check passed`, ''])
    const short = await request(`${cluster.url}/${path}`, { headers: { authorization }, dispatcher })
    t.equal(await short.body.text(), 'ok')
  }
})

t.test(
  'FN-141 a ReplicationController has as many Pods as it wants, also after one is lost or more are wanted',
  async t => {
    const { api, namespace } = await anyCluster(t, { embedded: { node: { stepMilliseconds: 0 } } })
    const place = `/api/v1/namespaces/${namespace}`
    const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    const controllers = `${place}/replicationcontrollers`
    await api.call('POST', controllers, { body: { metadata: { name: 'rc' }, spec: { replicas: 2, template } } })
    const ready = (count: number) =>
      api.waitFor({
        in: controllers,
        name: 'rc',
        until: object => object?.status?.availableReplicas === count && object.status.replicas === count,
      })
    await ready(2)
    const pods = async () =>
      ((await api.call('GET', `${place}/pods`)).body as { items?: { metadata: { name: string } }[] }).items ?? []
    const [first] = await pods()
    matches(t, first, {
      metadata: { ownerReferences: [{ kind: 'ReplicationController', name: 'rc', controller: true }] },
    })
    await api.call('DELETE', `${place}/pods/${first?.metadata.name}?gracePeriodSeconds=0`)
    const contentType = 'application/merge-patch+json'
    await api.call('PATCH', `${controllers}/rc`, { contentType, body: { spec: { replicas: 3 } } })
    await ready(3)
    t.equal((await pods()).length, 3)
    await api.call('PATCH', `${controllers}/rc/scale`, { contentType, body: { spec: { replicas: 1 } } })
    await ready(1)
  },
)
