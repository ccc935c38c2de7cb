// The relay with many objects and many changes, on an embedded API server. What is asserted is what comes out; how long
// it takes and how much memory is bench/relay.ts's matter.
import t from 'tap'
import type { Landscape } from '../../../shared/api/serverless.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { startEmbeddedCluster } from '../../../shared/embedded/start.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import type { RequestNote } from '../../../shared/kube/client-types.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { parseKubeconfig } from '../../../shared/kube/kubeconfigs/kubeconfig.ts'
import { startRelay } from '../../../shared/relay/relay.ts'
import { matches } from '../../harness/matches.ts'
import { until } from '../../harness/until.ts'
import { recordingHost, relayToken } from './recording-host.ts'
import { silentLog } from './silent-log.ts'

const cluster = await startEmbeddedCluster()
t.teardown(cluster.stop)
const verdict = parseKubeconfig(cluster.kubeconfig, { allowedHosts: ['127.0.0.1'] })
if ('refused' in verdict) throw new Error(verdict.refused.sentence)
const requests: RequestNote[] = []
const client = createClient(verdict.access, { onRequest: note => requests.push(note) })
t.teardown(client.close)

const namespace = 'default'
const labels = { load: 'yes' }
const writer = { fieldManager: 'load' }

type ConfigMap = KubeObject & { data: Record<string, string> }

const configMap = (name: string, data: Record<string, string>): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels },
  data,
})

const landscape: Landscape = {
  service: 'espalier',
  provider: { name: 'espalier', namespace, sweepSeconds: 3600 },
  functions: {
    maps: {
      handler: 'functions/maps/index.maps',
      description: 'Notes its calls',
      timeout: 120,
      concurrency: 16,
      memorySize: 64,
      failureBaseSeconds: 1,
      failureMaxSeconds: 10,
      access: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }],
      events: [{ watch: { apiVersion: 'v1', kind: 'ConfigMap', labelSelector: 'load=yes', on: ['any'], map: 'self' } }],
    },
  },
}

const host = await recordingHost()
t.teardown(host.close)

const start = () =>
  startRelay({
    landscape,
    clusters: clusters({ local: client }),
    host: { urlOf: () => host.url, token: async () => relayToken },
    listen: { host: '127.0.0.1', port: 0 },
    refuses: async () => undefined,
    log: silentLog,
  })

/** Does `act` for 0 to count - 1, some at a time. */
const forEach = async (count: number, act: (index: number) => Promise<unknown>): Promise<void> => {
  let next = 0
  const work = async () => {
    while (next < count) await act(next++)
  }
  await Promise.all(Array.from({ length: 32 }, work))
}

const objects = 2_000

t.test(`${objects} objects are listed in pages and each is called once; nobody is turned away`, async t => {
  await forEach(objects, index => client.create(configMap(`map-${index}`, { index: String(index) }), writer))
  requests.length = 0
  const relay = await start()
  t.teardown(() => relay.stop(1))
  await host.until(() => host.calls.length >= objects)
  t.equal(new Set(host.called()).size, objects, 'every object')
  t.equal(host.calls.length, objects, 'none twice')
  t.equal(requests.filter(({ code }) => code === '429').length, 0)
  const lists = requests.filter(({ verb }) => verb === 'list').length
  t.ok(lists >= objects / 500, `${lists} pages of at most 500`)
  t.ok(host.most <= 16, 'as many at once as the function allows')

  t.test('changes that come faster than calls are coalesced: the last state is seen, then it is quiet', async t => {
    const changed = 50
    const changes = 1_500
    host.forget()
    const refTo = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name })
    const changeOf = async (name: string) => ((await client.get(refTo(name))) as ConfigMap | undefined)?.data.change
    /** The change that each object's latest call read. */
    const seen = new Map<string, string | undefined>()
    const changesAreMade = Promise.withResolvers<void>()
    host.answer = async ({ key }) => {
      const [, name = ''] = key.split('/')
      seen.set(name, await changeOf(name))
      await changesAreMade.promise
      return { outcome: 'settled' }
    }
    await forEach(changes, async change => {
      const name = `map-${change % changed}`
      const body = { data: { change: String(change) } }
      await client.patch(refTo(name), { type: 'merge', body }, writer)
    })
    changesAreMade.resolve()
    const names = Array.from({ length: changed }, (_, index) => `map-${index}`)
    const final = new Map(await Promise.all(names.map(async name => [name, await changeOf(name)] as const)))
    await host.until(() => names.every(name => seen.get(name) === final.get(name)))
    t.ok(host.calls.length <= 3 * changed, `${changes} changes of ${changed} objects became ${host.calls.length} calls`)
    // Events of what was seen already may still be on their way.
    const metrics = async () => (await fetch(`http://127.0.0.1:${relay.port}/metrics`)).text()
    const isEmpty = /^workqueue_depth\{name="maps"\} 0$/m
    matches(t, await until(metrics, text => isEmpty.test(text)), isEmpty, 'the queue is empty')
    await host.until(() => host.calls.every(({ isOver }) => isOver))
  })
})
