// What still gets through when the process of `tryFunction` has died.
import t from 'tap'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { accessHere } from '../../../shared/embedded/http/without-sockets.ts'
import { startEmbeddedCluster } from '../../../shared/embedded/start.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import { hasDied, mortalClient, newLife } from '../../../shared/main/own/mortal-client.ts'
import { rejects } from '../../harness/matches.ts'

const cluster = await startEmbeddedCluster()
const client = createClient(accessHere(cluster))
t.teardown(async () => {
  await client.close()
  await cluster.stop()
})

const kind = { apiVersion: 'v1', kind: 'ConfigMap' }
const configMaps = { ...kind, namespace: 'default' }
const path = '/api/v1/namespaces/default/configmaps'
const configMap = (name: string): KubeObject => ({ ...kind, metadata: { namespace: 'default', name } })
const manager = { fieldManager: 'test' }
const dead = { message: 'the process is dead' }
const all = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const found: Item[] = []
  for await (const item of items) found.push(item)
  return found
}

t.test(
  'FW-15 a write without a verb of its own counts, a read does not, and nothing gets through after death',
  async t => {
    const life = newLife(1)
    const mortal = mortalClient(client, life)
    await mortal.raw({ method: 'GET', path: '/version' })
    t.ok((await all(mortal.pages(configMaps))).length > 0)
    t.notOk(hasDied(life))
    await rejects(t, mortal.raw({ method: 'POST', path, body: configMap('raw') }), dead)
    t.ok(await client.get({ ...configMaps, name: 'raw' }), 'it is done')
    t.strictSame(life.writes, [`POST ${path}`])
    await rejects(t, mortal.raw({ method: 'GET', path: '/version' }), dead)
    await rejects(t, mortal.scopeOf(kind), dead)
    await rejects(t, all(mortal.pages(configMaps)), dead)
    await rejects(t, all(mortal.names(configMaps)), dead)
    await rejects(t, all(mortal.watch({ ...configMaps, resourceVersion: '0' })), dead)
  },
)

t.test('FW-15 a process that dies between two pages does not get the second one', async t => {
  await client.create(configMap('another'), manager)
  const life = newLife(1)
  const mortal = mortalClient(client, life)
  const pages = mortal.pages({ ...configMaps, pageSize: 1 })[Symbol.asyncIterator]()
  t.equal((await pages.next()).value.objects.length, 1)
  await rejects(t, mortal.create(configMap('last'), manager), dead)
  await rejects(t, pages.next(), dead)
})

t.test('FW-15 a write that fails does not count, and of two writes at once only the first one is done', async t => {
  const life = newLife(1)
  const mortal = mortalClient(client, life)
  await rejects(t, mortal.create(configMap('raw'), manager), { code: 409 })
  t.strictSame(life.writes, [])
  await mortal.create(configMap('tried'), { ...manager, dryRun: true })
  const both = ['first', 'second'].map(name => mortal.create(configMap(name), manager))
  for (const one of both) await rejects(t, one, dead)
  t.strictSame(life.writes, ['create ConfigMap default/first'])
  t.equal(await client.get({ ...configMaps, name: 'second' }), undefined)
})
