// The etcds of the virtual garden: golden, and when etcd-druid is asked to work.
import t from 'tap'
import { apiserverSni } from '../../../functions/garden-reconcile/desired/apiserver/exposure.ts'
import { maintenanceSchedules } from '../../../functions/garden-reconcile/desired/etcd-schedules.ts'
import { etcdObjects, lacksBucket } from '../../../functions/garden-reconcile/desired/etcds.ts'
import { trafficDistribution } from '../../../functions/garden-reconcile/desired/parts/services.ts'
import { unreadyText } from '../../../functions/garden-reconcile/rules/readiness.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import { valueAt } from '../../../shared/core/json/fields.ts'
import { isMap, type JsonMap } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { goldenIn } from '../../harness/golden.ts'
import { matches } from '../../harness/matches.ts'
import { type Change, type Garden, garden } from '../../make/garden/garden.ts'
import { withRuntime, worldWithSecrets } from '../../make/garden/secret-world.ts'

const golden = goldenIn(import.meta.dirname)
const uid = '0f8a3c52-6a3b-4f0e-9a53-1d6f2f7b9e01'
const began = '2026-01-01T00:00:00Z'

const worldOf = (spec: Change<Garden['spec']> = {}, given: Partial<World> = {}): World =>
  worldWithSecrets({
    garden: garden({
      metadata: { name: 'garden', uid },
      spec,
      status: { lastOperation: { type: 'Reconcile', state: 'Processing', lastUpdateTime: began } },
    } as Change<Garden>),
    ...given,
  })

const ofVirtual = (virtualCluster: Change<Garden['spec']['virtualCluster']>) => worldOf({ virtualCluster })

const variants: Record<string, World> = {
  default: worldOf(),
  ha: ofVirtual({ controlPlane: { highAvailability: {} } }),
  backup: ofVirtual({ etcd: { main: { backup: backup('b/p/') } } }),
  storage: ofVirtual({
    etcd: {
      main: { storage: { capacity: '50Gi', className: 'fast' }, autoscaling: { minAllowed: { memory: '2Gi' } } },
      events: { storage: { capacity: '5Gi' }, autoscaling: { minAllowed: { cpu: '100m' } } },
    },
  }),
}

function backup(bucketName?: string) {
  return { provider: 'local', secretRef: { name: 'backup' }, ...(bucketName !== undefined && { bucketName }) }
}

for (const [variant, world] of Object.entries(variants))
  t.test(`GA-169 GA-70 the etcds, golden: ${variant}`, async t => {
    const made = etcdObjects(world)
    const told = variant === 'default' ? made : made.map(object => beyond(object, plain(object)))
    t.strictSame(told, golden(`etcds-${variant}`))
  })

/** The same object of a Garden that says nothing. */
function plain({ kind, metadata }: KubeObject): KubeObject | undefined {
  return etcdObjects(worldOf()).find(other => other.kind === kind && other.metadata.name === metadata.name)
}

/** What it has besides, or otherwise. */
function beyond(value: unknown, other: unknown): unknown {
  if (!isMap(value) || !isMap(other)) return value
  const fields = Object.entries(value).filter(
    ([field, inner]) => JSON.stringify(inner) !== JSON.stringify(other[field]),
  )
  return Object.fromEntries(fields.map(([field, inner]) => [field, beyond(inner, other[field])]))
}

const etcdNamed = (world: World, role: string): KubeObject | undefined =>
  etcdObjects(world).find(({ kind, metadata }) => kind === 'Etcd' && metadata.name === `virtual-garden-etcd-${role}`)

t.test('GA-71 GA-367 a bucket may have a path in it, and is never made up', async t => {
  const stored = (name?: string) =>
    valueAt(etcdNamed(ofVirtual({ etcd: { main: { backup: backup(name) } } }), 'main')?.spec, 'backup', 'store')
  const store = (container: string, prefix: string) => ({
    provider: 'local',
    container,
    secretRef: { name: 'backup', namespace: 'garden' },
    prefix,
  })
  t.strictSame(stored('b'), store('b', 'virtual-garden-etcd-main/etcd-main'))
  t.strictSame(stored('b/p/'), store('b', 'p/virtual-garden-etcd-main/etcd-main'))
})

t.test('GA-367 without a name of a bucket the main etcd is made, and nothing is backed up', async t => {
  const asking = ofVirtual({ etcd: { main: { backup: backup() } } })
  for (const role of ['main', 'events'])
    t.strictSame(etcdNamed(asking, role)?.spec, etcdNamed(worldOf(), role)?.spec, 'as one that asks for no backups')
  t.ok(lacksBucket(asking))
  t.ok(lacksBucket(ofVirtual({ etcd: { main: { backup: backup('') } } })))
  t.notOk(lacksBucket(ofVirtual({ etcd: { main: { backup: backup('b') } } })))
  t.notOk(lacksBucket(worldOf()), 'nobody asks for backups')
})

t.test('GA-367 an etcd that has a store keeps it without a name of a bucket', async t => {
  const store = { provider: 'local', container: 'garden-f9b2', secretRef: { name: 'etcd-backup' }, prefix: 'p' }
  const held = live(etcdNamed(worldOf(), 'main'), { backup: { store } })
  const storeIn = (world: World) => valueAt(etcdNamed(withRuntime(world, held), 'main')?.spec, 'backup', 'store')
  const asking = ofVirtual({ etcd: { main: { backup: backup() } } })
  t.strictSame(storeIn(asking), store)
  t.notOk(lacksBucket(withRuntime(asking, held)))
  t.equal(
    valueAt(storeIn(ofVirtual({ etcd: { main: { backup: backup('b') } } })), 'container'),
    'b',
    'a name counts more',
  )
  t.equal(storeIn(worldOf()), undefined, 'nobody asks for backups')
})

t.test('GA-169 schedules lie in the maintenance window, and stay once they are set', async t => {
  t.strictSame(maintenanceSchedules(uid, { begin: '220000+0100', end: '230000+0100' }), {
    defragmentation: '50 21 * * *',
    everyThirdDay: '50 21 */3 * *',
    fullSnapshot: '35 20 * * *',
  })
  const late = maintenanceSchedules(uid, { begin: '233000-0100', end: '003000-0100' })
  t.strictSame(late, { defragmentation: '20 1 * * *', everyThirdDay: '20 1 */3 * *', fullSnapshot: '5 0 * * *' })
  const spec = { etcd: { defragmentationSchedule: '1 2 * * *' } }
  const kept = etcdNamed(withRuntime(worldOf(), live(etcdNamed(worldOf(), 'main'), spec)), 'main')
  t.equal(valueAt(kept?.spec, 'etcd', 'defragmentationSchedule'), '1 2 * * *')
})

const fieldsOf = (value: unknown): JsonMap =>
  isMap(value) ? Object.fromEntries(Object.entries(value).map(([field, inner]) => [`f:${field}`, fieldsOf(inner)])) : {}

/** As the API server holds it after our apply. */
function live(wanted: KubeObject | undefined, spec?: unknown): KubeObject {
  if (wanted === undefined) throw new TypeError('there is no such Etcd')
  const { apiVersion, metadata } = wanted
  const fieldsV1 = fieldsOf({ metadata: { annotations: metadata.annotations }, spec: wanted.spec })
  const managedFields = [{ manager: 'garden-reconcile', operation: 'Apply', apiVersion, fieldsV1 }]
  return { ...wanted, metadata: { ...metadata, managedFields }, ...(spec !== undefined && { spec }) }
}

t.test('GA-72 etcd-druid is asked to work when the spec changes, and only then', async t => {
  const annotationsIn = (world: World) => etcdNamed(world, 'main')?.metadata.annotations
  const asked = { 'gardener.cloud/operation': 'reconcile', 'gardener.cloud/timestamp': began }
  t.strictSame(annotationsIn(worldOf()), asked, 'a new one')
  const unread = live(etcdNamed(worldOf(), 'main'))
  t.strictSame(annotationsIn(withRuntime(worldOf(), unread)), asked, 'what it has not read yet stays')
  const { 'gardener.cloud/operation': _, ...rest } = asked
  const read = { ...unread, metadata: { ...unread.metadata, annotations: rest } }
  t.strictSame(annotationsIn(withRuntime(worldOf(), read)), rest, 'it has read it')
  const changed = ofVirtual({ controlPlane: { highAvailability: {} } })
  t.strictSame(annotationsIn(withRuntime(changed, read)), asked, 'changed')
})

t.test('traffic stays in its zone as the runtime cluster can say it', async t => {
  const routed = (runtimeMinor: number, enabled: boolean) =>
    worldOf({ runtimeCluster: { settings: { topologyAwareRouting: { enabled } } } }, { runtimeMinor })
  const fields = (world: World) => [
    trafficDistribution(world),
    ...['main', 'events'].map(role =>
      valueAt(etcdNamed(world, role)?.spec, 'etcd', 'clientService', 'trafficDistribution'),
    ),
  ]
  t.strictSame(fields(routed(33, true)), [{ trafficDistribution: 'PreferClose' }, 'PreferClose', 'PreferClose'])
  t.strictSame(fields(routed(34, true)), [
    { trafficDistribution: 'PreferSameZone' },
    'PreferSameZone',
    'PreferSameZone',
  ])
  t.strictSame(fields(routed(34, false)), [{}, undefined, undefined])
})

t.test('the way to the API server, by the names of each domain', async t => {
  const dns = { domains: [{ name: 'one.example.com' }, { name: 'two.example.com' }] }
  t.strictSame(apiserverSni(ofVirtual({ dns })), golden('apiserver-sni'))
})

t.test('GA-301 a status with an object where a text or a number belongs is waited for', async t => {
  const odd = { toString: 'x', valueOf: 'x' }
  const told = (kind: string, status: object) =>
    unreadyText(
      {
        apiVersion: kind === 'Etcd' ? 'druid.gardener.cloud/v1alpha1' : 'resources.gardener.cloud/v1alpha1',
        kind,
        metadata: { name: 'one', namespace: 'garden', generation: 2 },
        status,
      },
      new Map(),
    )
  const shown = JSON.stringify(odd)
  const backup = { conditions: [{ type: 'BackupReady', status: 'False', message: odd }] }
  t.equal(told('Etcd', { observedGeneration: odd }), 'Etcd garden/one: its latest generation is not observed yet')
  t.equal(told('Etcd', { observedGeneration: 2, ...backup }), `Etcd garden/one: its backup is not ready yet (${shown})`)
  t.equal(
    told('ManagedResource', { observedGeneration: 2, conditions: [{ type: 'ResourcesApplied', status: odd }] }),
    `ManagedResource garden/one: ResourcesApplied is still ${shown}`,
  )
})

t.test('GA-73 an Etcd is ready when etcd-druid has taken up and ended all that it was asked', async t => {
  const told = (status: object, annotations?: Record<string, string>) =>
    unreadyText(
      {
        apiVersion: 'druid.gardener.cloud/v1alpha1',
        kind: 'Etcd',
        metadata: {
          name: 'virtual-garden-etcd-main',
          namespace: 'garden',
          generation: 2,
          ...(annotations && { annotations }),
        },
        status: { observedGeneration: 2, ready: true, ...status },
      },
      new Map(),
    )
  const backup = (status: string) => ({ conditions: [{ type: 'BackupReady', status, message: 'no bucket' }] })
  t.equal(told({}), undefined)
  t.equal(told(backup('True')), undefined)
  matches(
    t,
    [
      told({ observedGeneration: 1 }),
      told({}, { 'gardener.cloud/operation': 'reconcile' }),
      told({ lastErrors: [{ description: 'no quorum' }] }),
      told(backup('False')),
      told({ ready: false }),
    ],
    [
      /generation is not observed/,
      /operation annotation is not processed/,
      /no quorum/,
      /backup is not ready.*no bucket/,
      /is not ready/,
    ],
  )
})

const peersOf = (etcd: KubeObject | undefined) =>
  ['tlsCASecretRef', 'serverTLSSecretRef'].map(field => valueAt(etcd?.spec, 'etcd', 'peerUrlTls', field, 'name'))

t.test('GA-109 members trust a new authority of their peers before one of them shows its certificates', async t => {
  const before = variants.ha ?? worldOf()
  const [main] = etcdObjects(before)
  if (!main) throw new TypeError('there is no Etcd')
  const rotation = { certificateAuthorities: { phase: 'Preparing', lastInitiationTime: began } }
  const one = { ...before.garden, status: { ...before.garden.status, credentials: { rotation } } } as Garden
  const [oldBundle, oldCertificate] = peersOf(main)
  const metadata = { ...main.metadata, annotations: {} }
  const ready = { ready: true }
  const started = worldWithSecrets({ garden: one, runtime: before.runtime })
  const wanted = (live?: KubeObject) => peersOf(etcdObjects(live ? withRuntime(started, live) : started)[0])
  const [newBundle, newCertificate] = wanted()
  t.ok(newBundle !== oldBundle && newCertificate !== oldCertificate)
  t.strictSame(wanted({ ...main, metadata, status: ready }), [newBundle, oldCertificate], 'no member knows it')
  const trusting = peerSpec(main, String(newBundle), String(oldCertificate))
  t.strictSame(wanted({ ...trusting, metadata, status: { ready: false } }), [newBundle, oldCertificate], 'some do')
  t.strictSame(wanted({ ...trusting, metadata, status: ready }), [newBundle, newCertificate], 'all do')
  const showing = peerSpec(main, String(newBundle), String(newCertificate))
  t.strictSame(wanted({ ...showing, metadata, status: { ready: false } }), [newBundle, newCertificate], 'for good')
})

function peerSpec(etcd: KubeObject, bundle: string, certificate: string): KubeObject {
  const peerUrlTls = { tlsCASecretRef: { name: bundle }, serverTLSSecretRef: { name: certificate } }
  const { etcd: section, ...spec } = etcd.spec as JsonMap
  return { ...etcd, spec: { ...spec, etcd: { ...(section as JsonMap), peerUrlTls } } }
}
