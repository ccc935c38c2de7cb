// What the embedded cluster says when the disk, the configuration of a container or its stand-in node cannot do what is asked.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Journal, readState } from '../../../shared/embedded/data/journal.ts'
import { type Change, Stored } from '../../../shared/embedded/storage/store.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { matches, throws } from '../../harness/matches.ts'

t.test(
  'FN-142 a change that the full disk refuses names the disk, and the next one is written once there is room',
  t => {
    const paths = { log: join(t.testdir(), 'log.ndjson'), snapshot: join(t.testdirName, 'snapshot.ndjson') }
    let isFull = true
    const write = (file: number, bytes: Buffer): void => {
      writeSync(file, isFull ? bytes.subarray(0, 9) : bytes)
      if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    }
    const journal = new Journal({ ...paths, write, compactBytes: 1e6, state: () => ({ revision: 0, entries: [] }) })
    const change = (revision: number): Change => {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }
      return { type: 'ADDED', collection: 'configmaps', key: 'n/a', revision, stored: new Stored(object, revision) }
    }
    const why = `the disk that holds ${paths.log} is full (ENOSPC), so the change was not stored. Free space on this disk and send the request again.`
    throws(t, () => journal.add(change(1)), { code: 507, reason: 'InsufficientStorage', message: why })
    isFull = false
    journal.add(change(2))
    journal.close()
    t.equal(readState(paths).revision, 2)
    t.end()
  },
)

t.test('FN-142 a snapshot for which there is no room leaves no file and stops no write', async t => {
  const data = join(t.testdir(), 'data')
  mkdirSync(data)
  symlinkSync('/dev/full', join(data, 'snapshot.ndjson.new'))
  process.removeAllListeners('warning')
  const warned: string[] = []
  process.on('warning', ({ message }) => warned.push(message))
  const { api, namespace } = await anyCluster(t, { embedded: { data, compactBytes: 20_000 } })
  const write = (name: string) =>
    api.call('POST', `/api/v1/namespaces/${namespace}/configmaps`, {
      body: { metadata: { name }, data: { a: 'x'.repeat(3000) } },
    })
  for (let count = 0; count < 20; count++) matches(t, await write(`c${count}`), { status: 201 })
  matches(t, warned.join(), /no snapshot could be written, so .*log\.ndjson keeps growing: ENOSPC/)
  t.strictSame(readdirSync(data).sort(), ['identity.json', 'lock', 'log.ndjson', 'snapshot.ndjson'])
  t.ok(readFileSync(join(data, 'snapshot.ndjson'), 'utf8').includes('"c0"'), 'the next attempt made one')
})

const template = (container: object) => ({
  spec: {
    containers: [
      { name: 'c', image: 'i', ...container },
      { name: 'd', image: 'i' },
    ],
  },
})

const missing: [what: string, container: object, message: string][] = [
  ['a Secret of envFrom', { envFrom: [{ secretRef: { name: 's' } }] }, 'secret "s" not found'],
  ['a ConfigMap of envFrom', { envFrom: [{ configMapRef: { name: 's' } }] }, 'configmap "s" not found'],
  [
    'a Secret of a variable',
    { env: [{ name: 'V', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] },
    'secret "s" not found',
  ],
  [
    'a key of a ConfigMap',
    { env: [{ name: 'V', valueFrom: { configMapKeyRef: { name: 'kube-root-ca.crt', key: 'k' } } }] },
    "couldn't find key k in ConfigMap NAMESPACE/kube-root-ca.crt",
  ],
]

t.test('FN-143 a container waits for the Secrets and ConfigMaps that its environment needs', async t => {
  const { api, namespace } = await anyCluster(t, { embedded: { node: { stepMilliseconds: 0 } } })
  const place = `/api/v1/namespaces/${namespace}`
  const statusOf = (name: string, until: (status: Record<string, unknown>) => boolean) =>
    api.waitFor({ in: `${place}/pods`, name, until: object => object?.status !== undefined && until(object.status) })
  const waiting = (status: unknown) => JSON.stringify(status).includes('CreateContainerConfigError')
  for (const [index, [what, container, message]] of missing.entries()) {
    const name = `p${index}`
    await api.call('POST', `${place}/pods`, { body: { metadata: { name }, ...template(container) } })
    const status = (await statusOf(name, waiting))?.status
    const state = {
      waiting: { reason: 'CreateContainerConfigError', message: message.replace('NAMESPACE', namespace) },
    }
    matches(
      t,
      status,
      {
        phase: 'Pending',
        containerStatuses: [
          { name: 'c', state },
          { name: 'd', state: { running: { startedAt: /Z$/ } } },
        ],
      },
      what,
    )
  }
  const optional = { envFrom: [{ secretRef: { name: 's', optional: true } }] }
  await api.call('POST', `${place}/pods`, { body: { metadata: { name: 'optional' }, ...template(optional) } })
  await statusOf('optional', ({ phase }) => phase === 'Running')
  await api.call('POST', `${place}/secrets`, { body: { metadata: { name: 's' }, stringData: { k: 'v' } } })
  for (const name of ['p0', 'p2']) await statusOf(name, ({ phase }) => phase === 'Running')
  const events = (await api.call('GET', `${place}/events`)).text
  matches(t, events, /Error: secret \\"s\\" not found/)
})

t.test('FN-144 what only running containers can do says that the node is a stand-in', async t => {
  const { api, namespace } = await anyCluster(t, { embedded: { node: { stepMilliseconds: 0 } } })
  const pods = `/api/v1/namespaces/${namespace}/pods`
  await api.call('POST', pods, { body: { metadata: { name: 'p' }, ...template({}) } })
  for (const [method, sub] of [
    ['GET', 'log'],
    ['POST', 'exec'],
    ['GET', 'exec'],
    ['POST', 'attach'],
    ['POST', 'portforward'],
    ['GET', 'proxy'],
  ] as const) {
    const reply = await api.call(method, `${pods}/p/${sub}`)
    const message = `pods "p": ${sub} is not available: the embedded cluster runs no containers, it only sets the status of Pods. Use a real cluster for this request.`
    matches(t, reply, { status: 501, body: { reason: 'NotImplemented', message } })
  }
  matches(t, await api.call('GET', `${pods}/none/log`), { status: 404, body: { message: 'pods "none" not found' } })
})
