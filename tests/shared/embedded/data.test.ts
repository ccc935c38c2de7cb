// The data folder: a cluster that was stopped or killed comes back as it was, and damage is told from an unfinished write.
import { spawn } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import t, { type Test } from 'tap'
import { lineOf, recordsIn } from '../../../shared/embedded/data/files.ts'
import { readState } from '../../../shared/embedded/data/journal.ts'
import { type EmbeddedCluster, type EmbeddedOptions, startEmbeddedCluster } from '../../../shared/embedded/start.ts'
import { Store } from '../../../shared/embedded/storage/store.ts'
import { type ApiClient, apiClient, type KubeObject } from '../../harness/clients/api.ts'
import { matches, rejects, throws } from '../../harness/matches.ts'
import { freePorts } from '../../harness/processes/ports.ts'
import { testFolder } from '../../harness/test-folder.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'

type Running = { readonly cluster: EmbeddedCluster; readonly api: ApiClient; stop(): Promise<void> }

const start = async (options: EmbeddedOptions): Promise<Running> => {
  const cluster = await startEmbeddedCluster(options)
  const api = apiClient(cluster, { token: cluster.adminToken })
  const stop = async () => {
    await api.close()
    await cluster.stop()
  }
  return { cluster, api, stop }
}

const make = async (api: ApiClient, name: string, text = ''): Promise<KubeObject> =>
  (await api.call('POST', configMaps, { body: { metadata: { name }, data: { text } } })).body

const items = async (api: ApiClient, path = configMaps): Promise<KubeObject[]> =>
  ((await api.call('GET', path)).body.items ?? []) as KubeObject[]

const names = async (api: ApiClient): Promise<string[]> =>
  (await items(api)).map(({ metadata }) => metadata?.name ?? '')

const widgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } },
      },
    ],
  },
}
const widgetPath = '/apis/example.com/v1/namespaces/default/widgets'

t.test('FN-74 a cluster that is started again is the same one', async t => {
  const data = testFolder(t)
  // One that nobody else is given while the cluster is away.
  const [port] = await freePorts(1)
  const first = await start({ data, port })
  const { cluster, api } = first
  await api.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: widgets })
  await cluster.settled()
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'one' } }
  t.equal((await api.call('POST', widgetPath, { body: widget })).status, 201)
  const kept = await make(api, 'kept', 'żółw 🐢')
  await make(api, 'gone')
  await api.call('DELETE', `${configMaps}/gone`)
  const tokenPath = '/api/v1/namespaces/default/serviceaccounts/default/token'
  const { body: issued } = await api.call('POST', tokenPath, { body: { spec: {} } })
  const certificate = cluster.clientCertificate({ commonName: 'jane', organizations: ['system:masters'] })
  await cluster.settled()
  const all = async (client: ApiClient) =>
    Promise.all(
      [configMaps, '/api/v1/namespaces', '/apis/rbac.authorization.k8s.io/v1/clusterroles'].map(path =>
        items(client, path),
      ),
    )
  const before = await all(api)
  const revision = cluster.resourceVersion()
  await first.stop()

  const second = await start({ data })
  t.teardown(() => second.stop())
  t.equal(second.cluster.url, cluster.url)
  t.equal(second.cluster.kubeconfig, cluster.kubeconfig, 'the same kubeconfig still leads to it')
  t.equal(second.cluster.resourceVersion(), revision, 'starting writes nothing')
  t.strictSame(await all(second.api), before)
  matches(t, (await second.api.call('GET', `${configMaps}/kept`)).body, {
    data: { text: 'żółw 🐢' },
    metadata: { uid: kept.metadata?.uid },
  })
  t.equal((await second.api.call('GET', `${widgetPath}/one`)).status, 200, 'definitions are served again')
  const token = String((issued.status as { token: string }).token)
  for (const credentials of [{ token }, { certificate: certificate.cert, key: certificate.key }]) {
    const other = apiClient(second.cluster, credentials)
    const { body } = await other.call('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { body: {} })
    matches(t, body.status, { userInfo: { username: /jane|system:serviceaccount:default:default/ } })
    await other.close()
  }
  const next = await make(second.api, 'next')
  t.equal(next.metadata?.resourceVersion, String(Number(revision) + 1), 'revisions go on')
})

t.test(
  'FN-74 what was going on goes on: watches from before are told to begin anew, ends are brought to an end',
  async t => {
    const data = testFolder(t)
    const first = await start({ data })
    const owner = await make(first.api, 'owner')
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata?.uid }]
    await first.api.call('POST', configMaps, { body: { metadata: { name: 'dependent', ownerReferences } } })
    const finalizers = ['example.com/hold']
    await first.api.call('POST', configMaps, { body: { metadata: { name: 'held', finalizers } } })
    await first.api.call('DELETE', `${configMaps}/held`)
    await first.stop()
    const second = await start({ data })
    t.teardown(() => second.stop())
    const old = await second.api.watch(`${configMaps}?watch=1&resourceVersion=5`).next()
    matches(t, old.value, { type: 'ERROR', object: { code: 410 } })
    await second.api.call('DELETE', `${configMaps}/owner`)
    await second.cluster.settled()
    const contentType = 'application/merge-patch+json'
    await second.api.call('PATCH', `${configMaps}/held`, { body: { metadata: { finalizers: null } }, contentType })
    t.strictSame(await names(second.api), ['kube-root-ca.crt'])
  },
)

t.test('FN-74 a log cut off at any byte of its last line loses that line and nothing else', async t => {
  const data = testFolder(t)
  const first = await start({ data })
  await make(first.api, 'before')
  await first.cluster.settled()
  const log = join(data, 'log.ndjson')
  const whole = readFileSync(log).length
  await make(first.api, 'last', 'ü')
  await first.stop()
  const full = readFileSync(log).length
  t.ok(full - whole > 100, 'there is a line to cut')
  const copy = `${data}-cut`
  t.teardown(() => rmSync(copy, { recursive: true, force: true }))
  cpSync(data, copy, { recursive: true })
  const files = { log: join(copy, 'log.ndjson'), snapshot: join(copy, 'snapshot.ndjson') }
  const bytes = readFileSync(log)
  const wanted = (length: number) => (length === full ? ['before', 'last'] : ['before'])
  for (let length = whole; length <= full; length++) {
    writeFileSync(files.log, bytes.subarray(0, length))
    const { entries } = readState(files)
    const found = entries.flatMap(({ object }) =>
      /before|last/.test(object.metadata.name) ? object.metadata.name : [],
    )
    if (found.join() !== wanted(length).join()) t.fail(`cut at ${length - whole}: ${found}`)
    const left = readFileSync(files.log).length
    if (left !== (length === full ? full : whole))
      t.fail(`cut at ${length - whole}: ${left - whole} bytes are left of it`)
  }
  for (let length = whole; length <= full; length += 29) {
    writeFileSync(files.log, bytes.subarray(0, length))
    for (const name of ['after', 'later']) {
      const again = await start({ data: copy })
      await make(again.api, name)
      await again.stop()
    }
    const last = await start({ data: copy })
    t.strictSame(await names(last.api), ['after', ...wanted(length), 'kube-root-ca.crt', 'later'].sort())
    await last.stop()
  }
  t.pass(`${full - whole + 1} lengths`)
})

t.test('FN-74 damage before the last line is no unfinished write: it is refused', async t => {
  const data = testFolder(t)
  const first = await start({ data })
  await make(first.api, 'one')
  await make(first.api, 'two')
  await first.stop()
  const log = join(data, 'log.ndjson')
  const bytes = readFileSync(log)
  bytes[Math.floor(bytes.length / 2)] = 0
  writeFileSync(log, bytes)
  await rejects(t, start({ data }), /log\.ndjson: line \d+ is damaged/)
  t.notOk(existsSync(join(data, 'lock')), 'and the folder is given back')
  t.strictSame(recordsIn(Buffer.from(lineOf({ a: 1 })), 'a').records, [{ a: 1 }])
  t.strictSame(recordsIn(Buffer.from(`00000000 {"a":1}\n`), 'a').records, [], 'the checksum counts')
})

t.test('FN-74 a log that has grown becomes a snapshot; one from before the snapshot is passed over', async t => {
  const data = testFolder(t)
  const first = await start({ data, compactBytes: 20_000 })
  for (let number = 0; number < 60; number++) await make(first.api, `c-${number}`, 'x'.repeat(500))
  await first.api.call('DELETE', `${configMaps}/c-7`)
  const log = join(data, 'log.ndjson')
  const old = readFileSync(log)
  t.ok(old.length < 25_000, 'the log stays small')
  for (let number = 60; number < 120; number++) await make(first.api, `c-${number}`, 'x'.repeat(500))
  await first.cluster.settled()
  const before = await items(first.api)
  await first.stop()
  const second = await start({ data })
  t.strictSame(await items(second.api), before)
  await second.stop()
  const late = readFileSync(log)
  writeFileSync(log, Buffer.concat([old, late]))
  const third = await start({ data })
  t.strictSame(await items(third.api), before, 'as if the log had not been emptied after the snapshot')
  await third.stop()
  t.strictSame(readdirSync(data).sort(), ['identity.json', 'log.ndjson', 'snapshot.ndjson'])
  truncateSync(join(data, 'snapshot.ndjson'), 10_000)
  await rejects(t, start({ data }), /damaged/, 'half a snapshot is refused')
})

t.test('FN-74 a second cluster is refused a data folder while the first one has it', async t => {
  const data = testFolder(t)
  const first = await start({ data })
  await rejects(t, start({ data }), /another process uses the data folder/)
  await first.stop()
  writeFileSync(join(data, 'lock'), '2147483646')
  const second = await start({ data })
  await second.stop()
  t.pass('a process that is no more does not hold it')
})

t.test('RE-31 a lock whose process number now belongs to another process counts for nothing', async t => {
  const data = testFolder(t)
  const first = await start({ data })
  const ours = readFileSync(join(data, 'lock'), 'utf8')
  await first.stop()
  const [pid = '', life = ''] = ours.split(' ')
  const reused = life === '' ? [] : ['1', '1 another-start/1', pid, `${pid} ${life}0`, `1 ${life}`]
  for (const stale of [...reused, 'nonsense', '']) {
    writeFileSync(join(data, 'lock'), stale)
    const next = await start({ data })
    await next.stop()
  }
  writeFileSync(join(data, 'lock'), ours)
  await rejects(
    t,
    start({ data }),
    /another process uses the data folder .*: process \d+, named in/,
    'ours is still ours',
  )
})

t.test('FN-74 a change that cannot be written down does not happen', async t => {
  const store = new Store(10)
  const object = (text: string) => ({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'one' }, data: { text } })
  store.write('configmaps', 'default/one', object('old'))
  const heard: string[] = []
  store.onChange(({ type }) => heard.push(type))
  const revision = store.revision
  store.keepJournal(() => {
    throw new Error('no space left on device')
  })
  throws(t, () => store.write('configmaps', 'default/one', object('new')), /no space/)
  throws(t, () => store.write('configmaps', 'default/two', object('new')), /no space/)
  throws(t, () => store.remove('configmaps', 'default/one'), /no space/)
  matches(t, store.get('configmaps', 'default/one')?.object, { data: { text: 'old' } })
  t.notOk(store.get('configmaps', 'default/two'))
  t.strictSame(
    { revision: store.revision, heard, history: store.history.since(revision, 'configmaps') },
    { revision, heard: [], history: [] },
  )
})

type Said = {
  readonly caData?: string
  readonly name?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly gone?: string
}

/** Everything a child said until it was killed, after so many lines. */
const killedAfter = async (data: string, lines: number, compactBytes: number): Promise<Said[]> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'data-child.ts'), data, String(compactBytes)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise(resolve => child.once('close', resolve))
  const said: Said[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(JSON.parse(line))
    if (said.length === lines) child.kill('SIGKILL')
  }
  await ended
  return said
}

const judge = async (t: Test, data: string, said: readonly Said[]): Promise<void> => {
  const { cluster, api, stop } = await start({ data })
  const found = new Map((await items(api)).map(({ metadata }) => [metadata?.name, metadata]))
  const gone = new Set(said.flatMap(line => line.gone ?? []))
  const made = said.filter(line => line.name !== undefined)
  // The last of each writer may have been deleted without a word.
  const sure = made.filter(({ name = '' }) => !gone.has(name) && Number(name.split('-')[1]) % 3 > 0)
  const lost = sure.filter(({ name, uid }) => found.get(name)?.uid !== uid)
  t.strictSame(lost, [], `nothing lost of ${sure.length}`)
  t.strictSame(
    [...gone].filter(name => found.has(name)),
    [],
    `nothing back of ${gone.size}`,
  )
  t.ok(made.every(({ resourceVersion }) => Number(resourceVersion) <= Number(cluster.resourceVersion())))
  t.equal(cluster.caData, said[0]?.caData ?? cluster.caData, 'the same authority')
  await stop()
}

t.test('FN-74 killed at any moment, nothing that was answered is lost', async t => {
  const points = [1, 2, 5, 17, 65, 257]
  for (const compactBytes of [1_000_000, 60_000]) {
    const data = testFolder(t)
    for (const lines of points.slice(0, compactBytes > 100_000 ? undefined : 4)) {
      const own = `${data}/after-${lines}`
      await judge(t, own, await killedAfter(own, lines, compactBytes))
    }
  }
})

t.test('two clusters in one process share nothing', async t => {
  const [one, two] = await Promise.all([start({ data: testFolder(t) }), start({ node: { stepMilliseconds: 0 } })])
  t.teardown(() => Promise.all([one.stop(), two.stop()]))
  const { body: before } = await two.api.call('GET', '/apis')
  await one.api.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: widgets })
  await make(one.api, 'only-here')
  await one.cluster.settled()
  t.equal((await one.api.call('GET', widgetPath)).status, 200)
  t.equal((await two.api.call('GET', widgetPath)).status, 404, 'not kinds')
  t.strictSame((await two.api.call('GET', '/apis')).body, before, 'not discovery')
  t.notOk((await names(two.api)).includes('only-here'), 'not objects')
  t.strictSame(await items(one.api, '/api/v1/nodes'), [], 'not nodes')
  t.equal((await items(two.api, '/api/v1/nodes')).length, 1)
  t.not(one.cluster.caData, two.cluster.caData, 'not authorities')
  const trusting = { url: two.cluster.url, caData: two.cluster.caData }
  const stranger = apiClient(trusting, { token: one.cluster.adminToken })
  t.equal((await stranger.call('GET', configMaps)).status, 401, 'not tokens')
  await stranger.close()
  const certificate = one.cluster.clientCertificate({ commonName: 'jane', organizations: ['system:masters'] })
  const forged = apiClient(trusting, { certificate: certificate.cert, key: certificate.key })
  t.equal((await forged.call('GET', configMaps)).status, 403, 'not certificates')
  await forged.close()
  const { body: issued } = await one.api.call('POST', '/api/v1/namespaces/default/serviceaccounts/default/token', {
    body: { spec: {} },
  })
  const visiting = apiClient(trusting, { token: String((issued.status as { token: string }).token) })
  t.equal((await visiting.call('GET', configMaps)).status, 401, 'not keys of service accounts')
  await visiting.close()
  const { cluster } = one
  const revision = two.cluster.resourceVersion()
  for (let number = 0; number < 5; number++) await make(one.api, `more-${number}`)
  t.equal(two.cluster.resourceVersion(), revision, 'not revisions')
  const watching = two.api.watch(`${configMaps}?watch=1&resourceVersion=${revision}`)
  const event = watching.next()
  await make(one.api, 'silent')
  cluster.dropWatches()
  await make(two.api, 'heard')
  matches(t, (await event).value, { type: 'ADDED', object: { metadata: { name: 'heard' } } }, 'not watches')
  await watching.return(undefined)
})
