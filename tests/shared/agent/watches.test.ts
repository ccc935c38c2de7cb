// What an agent is told by the watches in its runtime, on a clock that stands still and a cluster in memory.
import t, { type Test } from 'tap'
import { watchedIn } from '../../../functions/runtime-watcher/decide.ts'
import { watchRuntime } from '../../../shared/agent/watches.ts'
import type { RuntimeEvent } from '../../../shared/api/kyma/runtime-event.ts'
import type { KubeObject, ObjectMeta } from '../../../shared/core/objects/object.ts'
import { StreamError } from '../../../shared/kube/errors.ts'
import { type FakeClock, fakeClock, settled } from '../relay/fake-clock.ts'
import { apiError, type FakeCluster, fakeCluster } from '../relay/fake-cluster.ts'
import { silentLog } from '../relay/silent-log.ts'

type Entry = { manager?: string; resource?: string; group?: string; version?: string; labels?: Record<string, string> }

const entry = ({
  manager = 'kyma',
  resource = 'kymas',
  group = 'example.org',
  version = 'v1',
  labels,
}: Entry = {}) => ({
  name: `kcp-system.${manager}.operator.kyma-project.io`,
  clientConfig: { service: { name: 'skr-webhook', namespace: 'kyma-system', path: `/validate/${manager}` } },
  objectSelector: { matchLabels: labels ?? {} },
  rules: [
    { apiGroups: [group], apiVersions: [version], resources: [resource], operations: ['CREATE', 'UPDATE', 'DELETE'] },
  ],
})

const configuration = (...entries: Entry[]): KubeObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'skr-webhook', generation: entries.length },
  webhooks: entries.map(entry),
})

const object = (metadata: Partial<ObjectMeta>, more: object = {}): KubeObject => ({
  apiVersion: 'example.org/v1',
  kind: 'Kyma',
  metadata: { namespace: 'kyma-system', name: 'default', generation: 1, ...metadata },
  ...more,
})

type Runtime = {
  readonly clock: FakeClock
  readonly cluster: FakeCluster
  readonly watches: ReturnType<typeof watchRuntime>
  /** What was told since it was last asked: manager and name, or `everything`. */
  told(): string[]
  readonly managers: string[]
}

const runtime = async (
  t: Test,
  { entries = [{}], prepare = () => {}, resources = true }: RuntimeOptions = {},
): Promise<Runtime> => {
  const clock = fakeClock()
  const cluster = fakeCluster({ clock })
  const told: string[] = []
  const managers: string[] = []
  cluster.put(configuration(...entries))
  cluster.put(object({ name: 'before' }))
  prepare(cluster)
  const watches = watchRuntime({
    client: { ...cluster.client, raw: async request => (await cluster.client.raw(request)) && served(request.path) },
    clock,
    log: silentLog,
    watchedIn,
    watchesResources: resources,
    report: (manager, event) => void told.push(`${manager} ${nameIn(event)}`),
    managers: names => void managers.splice(0, managers.length, ...names),
  })
  t.teardown(watches.stop)
  await settled()
  return { clock, cluster, watches, managers, told: () => told.splice(0) }
}

type RuntimeOptions = { entries?: Entry[]; prepare?(cluster: FakeCluster): void; resources?: boolean }

const nameIn = ({ fullSync, watched, watchedGvk }: RuntimeEvent): string =>
  fullSync ? 'everything' : `${watchedGvk.group}/${watchedGvk.version} ${watchedGvk.kind} ${watched.Name}`

const served = (path: string): object =>
  path === '/apis/example.org'
    ? { preferredVersion: { groupVersion: 'example.org/v1' } }
    : {
        resources: [
          { name: 'kymas/status', kind: 'Kyma' },
          { name: 'kymas', kind: 'Kyma' },
          { name: 'configmaps', kind: 'ConfigMap' },
        ],
      }

const kymas = { group: 'example.org', resource: 'kymas', part: 'spec' } as const

t.test(
  'KY-175 after the start each manager is told once to look at everything, however many entries name it',
  async t => {
    const other = { manager: 'other', group: '', resource: 'configmaps' }
    const { told, managers } = await runtime(t, { entries: [{}, { resource: 'kymas/status' }, other] })
    t.strictSame(told(), ['kyma everything', 'other everything'])
    t.strictSame(managers, ['kyma', 'other'])
  },
)

t.test(
  'KY-175 with reviews as the only source, managers of the configuration are told at the start as well',
  async t => {
    const { told, watches } = await runtime(t, { resources: false })
    t.strictSame(told(), ['kyma everything'])
    t.equal(watches.sees('kyma', kymas), false)
  },
)

t.test(
  'KY-176 what is created, changed in its spec or deleted is told; metadata, status and rejected writes are not',
  async t => {
    const { cluster, told, watches } = await runtime(t)
    told()
    t.equal(watches.sees('kyma', kymas), true)
    t.equal(watches.sees('kyma', { ...kymas, part: 'status' }), false)
    t.equal(watches.sees('other', kymas), false)
    const steps: [string, () => void, string[]][] = [
      ['created', () => void cluster.put(object({})), ['kyma example.org/v1 Kyma default']],
      ['labelled', () => void cluster.put(object({ labels: { a: 'b' } })), []],
      ['status', () => void cluster.put(object({}, { status: { state: 'Ready' } })), []],
      ['spec', () => void cluster.put(object({ generation: 2 })), ['kyma example.org/v1 Kyma default']],
      ['nothing is committed', () => {}, []],
      ['deleted', () => cluster.remove('Kyma', 'default', 'kyma-system'), ['kyma example.org/v1 Kyma default']],
    ]
    for (const [name, act, expected] of steps) {
      act()
      await settled()
      t.strictSame(told(), expected, name)
    }
  },
)

t.test(
  'KY-176 an entry about the status tells changes of the status; labels and the preferred version count',
  async t => {
    const { cluster, told } = await runtime(t, {
      entries: [{ resource: 'kymas/status', version: '*', labels: { 'watched-by': 'kyma' } }],
    })
    told()
    const labels = { 'watched-by': 'kyma' }
    cluster.put(object({ name: 'not-labelled' }))
    cluster.put(object({ labels }, { spec: {} }))
    await settled()
    t.strictSame(told(), ['kyma example.org/v1 Kyma default'])
    cluster.put(object({ labels, generation: 2 }, { spec: {} }))
    await settled()
    t.strictSame(told(), [])
    cluster.put(object({ labels, generation: 2 }, { spec: {}, status: { state: 'Ready' } }))
    await settled()
    t.strictSame(told(), ['kyma example.org/v1 Kyma default'])
  },
)

t.test(
  'KY-176 a dropped watch goes on where it was; when events are lost the manager is told to look at everything',
  async t => {
    const { clock, cluster, told, watches } = await runtime(t)
    told()
    cluster.strike('Kyma', new StreamError('dropped', 'the stream broke'))
    await settled()
    t.equal(watches.sees('kyma', kymas), false, 'reviews count while it is dropped')
    cluster.put(object({ name: 'meanwhile' }))
    await clock.advance(1)
    t.strictSame(told(), ['kyma example.org/v1 Kyma meanwhile'])
    t.equal(watches.sees('kyma', kymas), true)
    cluster.unseen(() => cluster.put(object({ name: 'lost' })))
    cluster.strike('Kyma', apiError(410))
    await clock.advance(1)
    t.strictSame(told(), ['kyma everything'])
    t.equal(watches.sees('kyma', kymas), true)
  },
)

t.test('KY-176 a kind that is not served yet is watched as soon as it is; until then reviews count', async t => {
  let serve = () => {}
  const { clock, cluster, told, watches } = await runtime(t, {
    prepare: cluster => {
      serve = cluster.fail(
        ({ verb }) => verb === 'raw',
        () => apiError(404),
      )
    },
  })
  t.strictSame(told(), ['kyma everything'], 'after the first try')
  t.equal(watches.sees('kyma', kymas), false)
  serve()
  await clock.advance(1.2)
  t.equal(watches.sees('kyma', kymas), true)
  cluster.put(object({}))
  await settled()
  t.strictSame(told(), ['kyma example.org/v1 Kyma default'])
})

t.test(
  'KY-176 entries that come and go are followed; while the configuration is gone its last entries count',
  async t => {
    const { cluster, told, watches, managers } = await runtime(t)
    told()
    cluster.put(configuration({}, { manager: 'other' }))
    await settled()
    t.strictSame(told(), ['other everything'], 'the manager that was there is not told again')
    cluster.put(object({}))
    await settled()
    t.strictSame(told().sort(), ['kyma example.org/v1 Kyma default', 'other example.org/v1 Kyma default'])
    cluster.put({ ...configuration({ manager: 'other' }), metadata: { name: 'skr-webhook', generation: 3 } })
    await settled()
    t.equal(watches.knows('kyma'), false)
    t.strictSame(managers, ['other'])
    cluster.remove('ValidatingWebhookConfiguration', 'skr-webhook')
    await settled()
    cluster.put(object({ generation: 2 }))
    await settled()
    t.strictSame(told(), ['other example.org/v1 Kyma default'])
  },
)

t.test('KY-176 an agent that may not read its configuration knows no manager, and reviews count', async t => {
  const { watches, told } = await runtime(t, {
    prepare: cluster =>
      void cluster.fail(
        () => true,
        () => apiError(403),
      ),
  })
  t.equal(watches.knows('kyma'), undefined)
  t.equal(watches.sees('kyma', kymas), false)
  t.strictSame(told(), [])
})

t.test('KY-285 entries of a shape that nobody of ours writes are left out', async t => {
  const good = entry({ manager: 'a%20b', labels: { a: 'b', c: 'd' } })
  const broken = [
    ...[undefined, 'x', {}, { ...good, rules: 'x' }, { ...good, rules: [{}] }],
    { ...good, clientConfig: { url: 'https://x/kyma' } },
    { ...good, clientConfig: { service: { path: '/validate/' } } },
    { ...good, clientConfig: { url: 'https://x/validate/%ff' } },
  ]
  t.strictSame(watchedIn({ ...configuration(), webhooks: [...broken, good] }), [
    { manager: 'a b', group: 'example.org', version: 'v1', resource: 'kymas', part: 'spec', labelSelector: 'a=b,c=d' },
  ])
  const byUrl = { ...good, clientConfig: { url: 'https://127.0.0.1:8443/validate/kyma' } }
  t.strictSame(
    watchedIn({ ...configuration(), webhooks: [byUrl] }).map(({ manager }) => manager),
    ['kyma'],
  )
  t.strictSame(watchedIn(configuration()), [])
})
