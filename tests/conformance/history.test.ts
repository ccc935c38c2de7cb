// What a server answers about a past it has forgotten. The real one forgets by compacting etcd, which it is told here to
// do every second, and its watches forget when it is started anew; so it has a control plane of its own.
import t, { type Test } from 'tap'
import { startEmbeddedCluster } from '../../shared/embedded/start.ts'
import { type ApiClient, apiClient } from '../harness/clients/api.ts'
import { isRealCluster } from '../harness/clusters/any-cluster.ts'
import { ownControlPlane } from '../harness/clusters/cluster.ts'
import { matches } from '../harness/matches.ts'

const collection = '/api/v1/namespaces/default/configmaps'
const names = ['a', 'b', 'c', 'd', 'e']

type Forgetful = {
  readonly api: ApiClient
  /** Pages and lists of any moment before are gone once this resolves. */
  forgetLists(): Promise<void>
  /** Watches from any moment before are refused once this resolves. */
  forgetWatches(): Promise<void>
}

const embedded = async (t: Test): Promise<Forgetful> => {
  const cluster = await startEmbeddedCluster()
  const api = apiClient(cluster, { token: cluster.adminToken })
  t.teardown(async () => {
    await api.close()
    await cluster.stop()
  })
  const forget = async () => cluster.compact()
  return { api, forgetLists: forget, forgetWatches: forget }
}

const real = async (t: Test): Promise<Forgetful> => {
  const cluster = await ownControlPlane(t, { withControllers: false, etcdCompactionInterval: '1s' })
  const api = apiClient(cluster, cluster.admin)
  t.teardown(api.close)
  const firstPage = async () => {
    const { body } = await api.call('GET', `${collection}?limit=1`)
    return String((body.metadata as { continue?: string }).continue)
  }
  return {
    api,
    forgetLists: async () => {
      const token = encodeURIComponent(await firstPage())
      while ((await api.call('GET', `${collection}?limit=1&continue=${token}`)).status !== 410) await touch(api)
    },
    forgetWatches: async () => {
      await cluster.stopApiServer()
      await cluster.startApiServer()
    },
  }
}

let touches = 0

/** A change of no interest: a server compacts only what has a later revision. */
const touch = (api: ApiClient) =>
  api.call('PATCH', '/api/v1/namespaces/default', {
    body: { metadata: { annotations: { touched: String(++touches) } } },
    contentType: 'application/merge-patch+json',
  })

const server = await (isRealCluster ? real(t) : embedded(t))
const { api } = server
for (const name of names) await api.call('POST', collection, { body: { metadata: { name } } })

type List = { metadata: { continue?: string; resourceVersion: string }; items: { metadata: { name: string } }[] }

const listed = async (query: string): Promise<List> => (await api.call('GET', `${collection}?${query}`)).body as never
const namesIn = ({ items }: List): string[] => items.map(({ metadata }) => metadata.name)
const own = 'labelSelector=!kubernetes.io/metadata.name'

t.test('FN-63 a page whose moment is forgotten: 410 with a token that goes on among what is there now', async t => {
  const first = await listed(`limit=2`)
  await api.call('DELETE', `${collection}/d`)
  await server.forgetLists()
  const refused = await api.call(
    'GET',
    `${collection}?limit=2&continue=${encodeURIComponent(first.metadata.continue ?? '')}`,
  )
  matches(t, refused, { status: 410, body: { kind: 'Status', status: 'Failure', reason: 'Expired', code: 410 } })
  t.equal(
    refused.body.message,
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
  )
  const onward = String((refused.body.metadata as { continue?: string }).continue)
  const rest = await listed(`limit=500&continue=${encodeURIComponent(onward)}`)
  t.strictSame(
    [...namesIn(first), ...namesIn(rest)].filter(name => names.includes(name)),
    ['a', 'b', 'c', 'e'],
  )
  t.notOk(rest.metadata.continue)
})

t.test('FN-61 a list of exactly a forgotten moment is 410; one not older than it is answered', async t => {
  const { metadata } = await listed(own)
  await touch(api)
  await server.forgetLists()
  const at = `resourceVersion=${metadata.resourceVersion}`
  const exact = await api.call('GET', `${collection}?${at}&resourceVersionMatch=Exact`)
  matches(t, exact, { status: 410, body: { reason: 'Expired', code: 410 } })
  t.equal(exact.body.message, 'The resourceVersion for the provided list is too old.')
  const newer = await api.call('GET', `${collection}?${at}&resourceVersionMatch=NotOlderThan`)
  t.equal(newer.status, 200)
})

t.test('FN-61 FN-62 a watch from a forgotten moment is told 410 as its only event', async t => {
  const { metadata } = await listed(own)
  await api.call('POST', collection, { body: { metadata: { name: 'f' } } })
  await server.forgetWatches()
  const ending = new AbortController()
  const events = await api.openWatch(`${collection}?watch=1&resourceVersion=${metadata.resourceVersion}`, ending.signal)
  const first = await events.next()
  matches(t, first.value, {
    type: 'ERROR',
    object: {
      kind: 'Status',
      status: 'Failure',
      reason: 'Expired',
      code: 410,
      message: /^too old resource version: \d+ \(\d+\)$/,
    },
  })
  t.ok((await events.next()).done, 'the server ends the stream')
  ending.abort()
})

t.test('FN-61 FN-62 a watch from the last list misses nothing although the past is forgotten', async t => {
  await server.forgetWatches()
  const { metadata } = await listed(own)
  const ending = new AbortController()
  const events = await api.openWatch(`${collection}?watch=1&resourceVersion=${metadata.resourceVersion}`, ending.signal)
  await api.call('POST', collection, { body: { metadata: { name: 'g' } } })
  matches(t, (await events.next()).value, { type: 'ADDED', object: { metadata: { name: 'g' } } })
  ending.abort()
})

t.test('FN-61 a moment that has not come: a list waits in vain and says so', async t => {
  const { metadata } = await listed(own)
  const future = Number(metadata.resourceVersion) + 1_000_000
  const reply = await api.call('GET', `${collection}?resourceVersion=${future}&resourceVersionMatch=NotOlderThan`)
  matches(t, reply, {
    status: 504,
    body: { reason: 'Timeout', code: 504, details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } },
  })
  matches(t, reply.body.message, new RegExp(`Too large resource version: ${future}, current: \\d+`))
})
