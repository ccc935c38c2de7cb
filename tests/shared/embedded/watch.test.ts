// Watching: nothing is missed between a list and a watch, and the handles by which tests make a watch fail work.
import t from 'tap'
import { startEmbeddedCluster } from '../../../shared/embedded/start.ts'
import { type ApiClient, apiClient, type WatchEvent } from '../../harness/clients/api.ts'
import { matches } from '../../harness/matches.ts'

const cluster = await startEmbeddedCluster()
const api = apiClient(cluster, { token: cluster.adminToken })
t.teardown(async () => {
  await api.close()
  await cluster.stop()
})

const configMaps = '/api/v1/namespaces/default/configmaps'
const create = (name: string) => api.call('POST', configMaps, { body: { metadata: { name } } })
const relabel = (name: string, labels: unknown) =>
  api.call('PATCH', `${configMaps}/${name}`, {
    body: { metadata: { labels } },
    contentType: 'application/merge-patch+json',
  })

const take = async (client: ApiClient, path: string, count: number): Promise<WatchEvent[]> => {
  const events: WatchEvent[] = []
  const abort = new AbortController()
  try {
    for await (const event of client.watch(path, abort.signal)) {
      events.push(event)
      if (events.length === count) break
    }
  } finally {
    abort.abort()
  }
  return events
}

const brief = (events: WatchEvent[]) =>
  events.map(({ type, object }) => `${type} ${object.metadata?.name ?? ''}`.trim())
const revision = async () => (await api.call('GET', `${configMaps}?limit=1`)).body.metadata?.resourceVersion

t.test('FN-61 a watch from a list revision sees every change after it, once, in order', async t => {
  await create('before')
  const since = await revision()
  await create('one')
  await relabel('one', { a: 'b' })
  await api.call('DELETE', `${configMaps}/one`)
  const events = await take(api, `${configMaps}?watch=1&resourceVersion=${since}`, 3)
  t.strictSame(brief(events), ['ADDED one', 'MODIFIED one', 'DELETED one'])
  const revisions = events.map(({ object }) => Number(object.metadata?.resourceVersion))
  t.strictSame(
    revisions,
    revisions.toSorted((left, right) => left - right),
  )
})

t.test('FN-62 an object that starts or stops being selected is added or deleted', async t => {
  await create('picky')
  const since = await revision()
  const pending = take(api, `${configMaps}?watch=1&resourceVersion=${since}&labelSelector=pick%3Dme`, 3)
  await relabel('picky', { pick: 'me' })
  await relabel('picky', { pick: 'me', more: 'x' })
  await relabel('picky', { pick: null })
  t.strictSame(brief(await pending), ['ADDED picky', 'MODIFIED picky', 'DELETED picky'])
})

t.test('FN-62 initial events end with a marked bookmark; later bookmarks move on', async t => {
  const path = `${configMaps}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&fieldSelector=metadata.name%3Dbefore`
  const abort = new AbortController()
  const events: WatchEvent[] = []
  for await (const event of api.watch(path, abort.signal)) {
    events.push(event)
    if (events.length === 2) cluster.sendBookmarks()
    if (events.length === 3) break
  }
  abort.abort()
  t.strictSame(brief(events), ['ADDED before', 'BOOKMARK', 'BOOKMARK'])
  const marks = events.map(({ object }) => (object.metadata as { annotations?: unknown } | undefined)?.annotations)
  t.strictSame(marks, [undefined, { 'k8s.io/initial-events-end': 'true' }, undefined])
})

t.test('FN-62 initial events may be larger than what a slow client may leave unread', async t => {
  const data = { text: 'x'.repeat(1_000_000) }
  const names = Array.from({ length: 34 }, (_, n) => `large-${n}`)
  for (const name of names)
    await api.call('POST', configMaps, { body: { metadata: { name, labels: { large: 'yes' } }, data } })
  const path = `${configMaps}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=large`
  const events = await take(api, path, names.length + 1)
  t.strictSame(brief(events).toSorted(), ['BOOKMARK', ...names.map(name => `ADDED ${name}`).toSorted()].toSorted())
  for (const name of names) await api.call('DELETE', `${configMaps}/${name}`)
})

t.test('FN-61 a revision that is compacted answers 410 in the stream', async t => {
  await create('old')
  const since = Number(await revision()) - 1
  cluster.compact()
  const [event] = await take(api, `${configMaps}?watch=1&resourceVersion=${since}`, 1)
  matches(t, event, { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } })
})

t.test('FN-63 pages are of one moment; an expired token gets 410 and one that goes on', async t => {
  for (const name of ['p1', 'p2', 'p3']) await create(name)
  const first = await api.call('GET', `${configMaps}?limit=2`)
  await create('p0')
  await api.call('DELETE', `${configMaps}/p3`)
  const rest = await api.call('GET', `${configMaps}?limit=500&continue=${first.body.metadata?.continue}`)
  const names = [first, rest].flatMap(page =>
    (page.body.items as { metadata: { name: string } }[]).map(item => item.metadata.name),
  )
  t.ok(names.includes('p3'), 'deleted after the first page')
  t.notOk(names.includes('p0'), 'made after the first page')
  t.equal(rest.body.metadata?.resourceVersion, first.body.metadata?.resourceVersion)

  cluster.compact()
  const expired = await api.call('GET', `${configMaps}?continue=${first.body.metadata?.continue}`)
  matches(t, expired.body, { code: 410, reason: 'Expired' })
  const onward = await api.call('GET', `${configMaps}?continue=${expired.body.metadata?.continue}`)
  t.equal(onward.status, 200)
})

t.test('a test can drop watches', async t => {
  cluster.dropWatches()
  const pending = take(api, `${configMaps}?watch=1&resourceVersion=${await revision()}`, 1)
  await until(() => cluster.watchCount() === 1)
  cluster.dropWatches('secrets')
  t.equal(cluster.watchCount(), 1)
  cluster.dropWatches('configmaps')
  t.strictSame(await pending, [])
  t.equal(cluster.watchCount(), 0)
})

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(resolve => setImmediate(resolve))
}
