// Ten thousand objects: how many of them come back, and what they hold in memory. How fast is bench/embedded.ts's matter.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { startEmbeddedCluster } from '../../../shared/embedded/start.ts'
import { apiClient, type KubeObject } from '../../harness/clients/api.ts'

const count = 10_000
const collection = '/api/v1/namespaces/default/configmaps'
const filling = 'x'.repeat(480)

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** What is still in use: the heap and what it holds outside of it. */
const heldMegabytes = (): number => {
  collectGarbage()
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1e6
}

t.test('ten thousand objects are all there, page by page, within 5 MB per thousand', async t => {
  const cluster = await startEmbeddedCluster()
  const api = apiClient(cluster, { token: cluster.adminToken })
  t.teardown(async () => {
    await api.close()
    await cluster.stop()
  })
  const before = heldMegabytes()
  const codes = new Set<number>()
  let made = 0
  const make = async () => {
    while (made < count) {
      const body = { metadata: { name: `many-${made++}` }, data: { filling } }
      codes.add((await api.call('POST', collection, { body })).status)
    }
  }
  await Promise.all(Array.from({ length: 8 }, make))
  t.strictSame([...codes], [201])
  const held = ((heldMegabytes() - before) / count) * 1000
  t.ok(held <= 5, `${held.toFixed(1)} MB per thousand`)

  const names = new Set<unknown>()
  let next: string | undefined = ''
  while (next !== undefined) {
    const page = (await api.call('GET', `${collection}?limit=500&continue=${encodeURIComponent(next)}`)).body
    const items = page.items as KubeObject[]
    t.ok(items.length <= 500)
    for (const { metadata } of items) names.add(metadata?.name)
    next = page.metadata?.continue as string | undefined
  }
  t.equal([...names].filter(name => String(name).startsWith('many-')).length, count)
})
