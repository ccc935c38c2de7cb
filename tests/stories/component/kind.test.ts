// The fields of the kind Component, each with what comes of it on a cluster, and what kubectl shows and waits for.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import type { ComponentSpec } from '../../../shared/api/component.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { RendererBusy } from '../../../shared/runtime/renderer/renderer.ts'
import { componentGround, placesWith } from '../../harness/component/component-ground.ts'
import { later } from '../../harness/component/orchards.ts'
import { matches } from '../../harness/matches.ts'
import { oracles } from '../../harness/oracles.ts'
import { standInRegistry } from '../../harness/registries/registry.ts'
import { testFolder } from '../../harness/test-folder.ts'
import { usualSeconds } from '../../harness/until.ts'
import { artifactOf, chartArtifact, filesArtifact, mediaTypes, tgz } from '../../make/artifact.ts'
import { chartFiles, configMap } from '../../make/component/component.ts'

const ground = await componentGround(t)
const { cluster, namespace, client } = ground
/** Nobody has made it yet. */
const other = `${namespace}-other`
t.teardown(() => client.delete({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: other }, {}))

const listed = (...objects: KubeObject[]): ComponentSpec['source'] => ({ manifests: objects })
const at = (minutes: number) => later(minutes * 60)
const isReady = { state: 'Ready', reason: 'Ready' }

t.test('CO-89 kubectl waits for it and shows it', async t => {
  const folder = testFolder(t)
  writeFileSync(join(folder, 'kubeconfig'), cluster.kubeconfig)
  const { kubectl } = await oracles()
  const run = async (...args: string[]) => {
    const common = ['--kubeconfig', join(folder, 'kubeconfig'), '--cache-dir', folder, '-n', namespace]
    return (await promisify(execFile)(kubectl, [...common, ...args], { env: { HOME: folder } })).stdout
  }
  await ground.create('waited', { source: listed(configMap('waited')) })
  const waiting = run('wait', '--for=condition=Ready', 'component/waited', `--timeout=${usualSeconds}s`)
  matches(t, await ground.settled('waited'), isReady)
  matches(t, await waiting, /waited condition met/)
  const [head = '', row = ''] = (await run('get', 'comp', 'waited')).split('\n')
  t.strictSame(head.trim().split(/\s+/), ['NAME', 'STATE', 'READY', 'REVISION', 'MESSAGE', 'AGE'])
  matches(t, row, /^waited +Ready +True +1 +All dependents are ready +\d+s/)
})

t.test(
  'CO-89 deploymentNamespace and deploymentName place objects, createMissingNamespaces makes the namespace',
  async t => {
    const flat = Object.fromEntries(
      Object.entries(chartFiles).map(([path, text]) => [path.replaceAll('/', '__'), text]),
    )
    await ground.put(configMap('chart', flat))
    const placed = { deploymentNamespace: other, deploymentName: 'placed-elsewhere' }
    const source = { helm: { configMapRef: { name: 'chart' } } }
    await ground.create('placed', { source, ...placed, createMissingNamespaces: false })
    matches(t, await ground.settled('placed'), { state: 'Error', message: new RegExp(other) })
    await ground.change('placed', { spec: { createMissingNamespaces: true } })
    matches(t, await ground.settled('placed'), isReady)
    const elsewhere = { apiVersion: 'v1', kind: 'ConfigMap', namespace: other, name: 'placed-elsewhere' }
    matches(t, await client.get(elsewhere), { data: { greeting: 'hello' } })
  },
)

t.test('CO-89 serviceAccountName and impersonationUser write with the rights of that account or user', async t => {
  const source = listed(configMap('impersonated'))
  await ground.create('impersonated', { source, serviceAccountName: 'nobody' })
  const user = `system:serviceaccount:${namespace}:nobody`
  matches(t, await ground.settled('impersonated'), { state: 'Error', message: new RegExp(user) })
  t.notOk(await ground.live('ConfigMap', 'impersonated'))
  const byUser = { serviceAccountName: null, impersonationUser: 'somebody', impersonationGroups: ['system:masters'] }
  await ground.change('impersonated', { spec: byUser })
  matches(t, await ground.settled('impersonated'), isReady)
})

t.test('CO-89 a kubeConfig whose Secret is missing is waited for, one that leads to loopback refused', async t => {
  await ground.create('far', { source: listed(configMap('far')), kubeConfig: { secretRef: { name: 'far' } } })
  matches(t, await ground.settled('far'), {
    state: 'Pending',
    reason: 'Retrying',
    message: /Secret .*\/far.* does not exist/,
  })
  const data = { value: Buffer.from(cluster.kubeconfig).toString('base64') }
  await ground.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'far' }, data })
  matches(t, await ground.settled('far'), { state: 'Error', message: /loopback or link-local/ })
  t.notOk(await ground.live('ConfigMap', 'far'), 'nothing was written')
})

t.test('CO-89 requeueInterval, timeout and reapplyInterval set their times', async t => {
  await ground.create('timed', { source: listed(configMap('timed')), requeueInterval: '7m', reapplyInterval: '30m' })
  const first = await ground.settled('timed')
  const { requeueAfterSeconds = 0 } = first.outcome
  t.ok(requeueAfterSeconds >= 420 && requeueAfterSeconds <= 441, `again after ${requeueAfterSeconds} s`)
  const writtenAt = first.inventory?.[0]?.lastAppliedAt
  t.equal((await ground.settled('timed', at(29))).inventory?.[0]?.lastAppliedAt, writtenAt)
  t.not((await ground.settled('timed', at(31))).inventory?.[0]?.lastAppliedAt, writtenAt)

  await ground.create('unbound', { source: listed(claim('unbound')), timeout: '3m' })
  matches(t, await ground.settled('unbound'), { state: 'Processing', message: /PersistentVolumeClaim/ })
  matches(t, await ground.settled('unbound', at(4)), { state: 'Error', reason: 'Timeout' })
})

const claim = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'nobody-provides-it',
    resources: { requests: { storage: '1Gi' } },
  },
})

t.test('CO-89 adoptionPolicy, updatePolicy and deletePolicy count for all dependents', async t => {
  await ground.put(configMap('found', { theirs: 'yes' }))
  await ground.create('adopting', { source: listed(configMap('found', { ours: 'yes' })), adoptionPolicy: 'never' })
  matches(t, await ground.settled('adopting'), { state: 'Error', message: /ConfigMap .*found/ })
  await ground.change('adopting', { spec: { adoptionPolicy: 'Always', updatePolicy: 'ssa-merge' } })
  matches(t, await ground.settled('adopting'), isReady)
  matches(t, (await ground.live('ConfigMap', 'found'))?.data, { ours: 'yes', theirs: 'yes' }, 'merged')
  const changed = {
    source: listed(configMap('found', { ours: 'again' })),
    updatePolicy: 'Replace',
    deletePolicy: 'orphan',
  }
  await ground.change('adopting', { spec: changed })
  matches(t, await ground.settled('adopting'), isReady)
  t.strictSame((await ground.live('ConfigMap', 'found'))?.data, { ours: 'again' }, 'replaced')
  await ground.remove('adopting')
  await ground.settle('adopting')
  t.equal(await ground.read('adopting'), undefined)
  t.ok(await ground.live('ConfigMap', 'found'), 'it stays')
})

t.test('CO-89 suspend holds everything, and instances of additionalManagedTypes hold the deletion', async t => {
  const types = { additionalManagedTypes: [{ group: 'coordination.k8s.io', kind: 'Lease' }] }
  await ground.create('managing', { source: listed(configMap('managing')), suspend: true, ...types })
  matches(t, await ground.settled('managing'), { state: 'Pending', reason: 'Suspended' })
  t.notOk(await ground.live('ConfigMap', 'managing'))
  await ground.change('managing', { spec: { suspend: false } })
  matches(t, await ground.settled('managing'), isReady)
  await ground.put({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'theirs' }, spec: {} })
  await ground.remove('managing')
  matches(t, await ground.settled('managing'), { state: 'Deleting', reason: 'DeletionBlocked', message: /Lease/ })
  t.ok(await ground.live('ConfigMap', 'managing'))
  await ground.change('managing', { spec: { additionalManagedTypes: [] } })
  await ground.settle('managing')
  t.equal(await ground.live('ConfigMap', 'managing'), undefined)
})

t.test('CO-92 what a registry does wrong is told with repository and cause, and dependents stay', async t => {
  const registry = await standInRegistry(t)
  const places = placesWith({ ESPALIER_PLAIN_REGISTRIES: registry.host })
  await registry.push('charts/shop', 'good', await chartArtifact(chartFiles))
  await registry.push('charts/shop', 'folder', await filesArtifact(chartFiles))
  const repository = `${registry.host}/charts/shop`
  await ground.create('shop', { source: { helm: { oci: { repository, tag: 'good' } } } })
  matches(t, await ground.settled('shop', places), isReady)
  const rows: [tag: string, answer: Parameters<typeof registry.intercept>[0], says: RegExp][] = [
    ['good', () => ({ code: 401 }), /denies access \(401\), which got no credentials$/],
    ['good', () => ({ code: 503 }), /is in trouble \(503\)$/],
    ['none', () => undefined, /has no such repository, tag or digest \(404\)$/],
    ['folder', () => undefined, /it is not a Helm chart/],
    ['forged', path => (path.includes('/blobs/') ? { code: 200, body: 'x' } : undefined), /has another digest$/],
  ]
  await registry.push('charts/shop', 'forged', await chartArtifact({ ...chartFiles, 'values.yaml': 'a: b\n' }))
  for (const [tag, answer, says] of rows) {
    registry.intercept(answer)
    await ground.change('shop', { spec: { source: { helm: { oci: { tag } } } } })
    const told = await ground.settled('shop', places)
    matches(t, told, { state: 'Pending', reason: 'Retrying', message: says })
    t.ok(told.message.startsWith(`${repository}:${tag} cannot be pulled: `), told.message)
    t.ok(await ground.live('ConfigMap', 'shop'), 'dependents remain')
  }
  registry.intercept(() => undefined)
  await ground.change('shop', { spec: { source: { helm: { oci: { tag: 'good' } } } } })
  matches(t, await ground.settled('shop', places), isReady)
})

t.test('RE-26 while others are rendered nothing is said of a Component, and it is called again', async t => {
  const source = { helm: { configMapRef: { name: 'chart' } } }
  await ground.create('patient', { source })
  matches(t, await ground.settled('patient'), isReady)
  const before = await ground.read('patient')
  const renderer = { render: () => Promise.reject(new RendererBusy(17)) }
  // Another process, which remembers nothing of it.
  const told = await ground.settled('patient', { renderer, clusters: clusters({ local: client }) })
  matches(t, told.outcome, {
    outcome: 'waiting',
    requeueAfterSeconds: 17,
    reason: 'other renderings use all renderer processes',
  })
  t.strictSame(await ground.read('patient'), before)
  matches(t, await ground.settled('patient'), isReady)
})

t.test('RE-24 an archive that is not taken: a clear condition', async t => {
  const registry = await standInRegistry(t)
  const places = placesWith({ ESPALIER_PLAIN_REGISTRIES: registry.host })
  const evil = await tgz([{ name: 'shop/../../evil', content: 'x' }])
  await ground.put({ ...configMap('evil', {}), binaryData: { 'artifact.tgz': evil.toString('base64') } })
  await ground.create('evil', { source: { helm: { configMapRef: { name: 'evil' } } } })
  const refused = { state: 'Error', reason: 'Error' }
  const message = 'ConfigMap evil: the archive contains "shop/../../evil", which leads outside the artifact'
  matches(t, await ground.settled('evil'), { ...refused, message })
  const linked = await tgz([{ name: 'shop/values.yaml', type: 'symlink', linkname: '/etc/passwd' }])
  await registry.push(
    'charts/linked',
    'v1',
    artifactOf(linked, { layer: mediaTypes.chart, config: mediaTypes.chartConfig }),
  )
  const oci = { repository: `${registry.host}/charts/linked`, tag: 'v1' }
  await ground.create('linked', { source: { helm: { oci } } })
  matches(t, await ground.settled('linked', places), { ...refused, message: /"shop\/values\.yaml", which is a link/ })
})
