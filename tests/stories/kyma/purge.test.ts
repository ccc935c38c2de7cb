// purge on two clusters: Kymas in one, what their modules left in the other. Time is the test's.
import t from 'tap'
import { purge } from '../../../functions/purge/index.ts'
import { kymaCrds } from '../../../shared/api/kyma/crds.ts'
import { kymaKind } from '../../../shared/api/kyma.ts'
import { type KubeObject, type ObjectMeta, refOf } from '../../../shared/core/objects/object.ts'
import { atOnce } from '../../../shared/kube/at-once.ts'
import type { Client, ListQuery } from '../../../shared/kube/client-types.ts'
import { ApiError, KindNotServed } from '../../../shared/kube/errors.ts'
import type { CallContext } from '../../../shared/runtime/context.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { define } from '../../harness/clusters/test-definitions.ts'
import { crd, established, lasting } from '../../harness/component/orchards.ts'
import { kymaClusters, withRuntimes } from '../../harness/kyma/kyma-clusters.ts'
import { matches } from '../../harness/matches.ts'
import { kyma, moduleManifest, moduleTemplate } from '../../make/kyma/kyma.ts'
import { settingsWith } from '../../make/settings.ts'

const ground = await kymaClusters(t)
const { client: local, far, runtime, controlPlane } = ground
const person = { fieldManager: 'person' }
const group = 'samples.example.com'
const guard = 'operator.kyma-project.io/purge-finalizer'
const orderly = 'operator.kyma-project.io/Kyma'
const held = { finalizers: ['samples.example.com/first', 'samples.example.com/second'] }
const call = (name: string, change?: Partial<CallContext>) =>
  ground.callOf(purge as ReconcileFunction, name, { now: inAMoment(301), ...change })

/** So many seconds from now, and one more, since the API server drops what is less than a second. */
const inAMoment = (seconds: number) => () => new Date(Date.now() + (seconds + 1) * 1_000)

const ofModule = {
  labels: { 'operator.kyma-project.io/managed-by': 'kyma' },
  annotations: { 'deprecated-operator.kyma-project.io/owned-by': 'kcp-system/default-id-telemetry-1' },
}

const sample = (kind: string, name: string, metadata: Partial<ObjectMeta> = held): KubeObject => ({
  apiVersion: `${group}/v1`,
  kind,
  metadata: { name, namespace: 'default', ...metadata },
})

const kymaRef = (name: string) => ({ ...kymaKind, namespace: 'kcp-system', name })
const created = (client: Client, object: KubeObject) => client.create(object, person)
const finalizersOf = async (client: Client, object: KubeObject) => {
  const found = await client.get(refOf(object))
  return found ? (found.metadata.finalizers ?? []) : 'gone'
}

/** A Kyma that somebody has deleted, and that waits for its modules. */
const deletedKyma = async (name: string) => {
  await created(local, kyma({ metadata: { name, finalizers: [orderly, guard] } }))
  await local.delete(kymaRef(name), {})
}

for (const [kind, metadata] of [
  ['Sample', ofModule],
  ['Skipped', ofModule],
  ['Spare', {}],
  ['Database', {}],
  ['Foreign', {}],
] as const) {
  const definition = crd(group, kind, `${kind.toLowerCase()}s`)
  await established(far, { ...definition, metadata: { ...definition.metadata, ...metadata } })
}
for (const definition of kymaCrds()) await define(far, definition)

const copyOf = (owner: string): KubeObject => ({
  ...kyma(),
  metadata: {
    name: 'default',
    namespace: 'default',
    labels: ofModule.labels,
    finalizers: ['example.com/copy'],
    annotations: { 'deprecated-operator.kyma-project.io/owned-by': `kcp-system/${owner}` },
  },
})

const skipping: Partial<CallContext> = { settingsOf: settingsWith({ skip: [`skippeds.${group}`] }) }

t.test('KY-99 KY-100 a Kyma is held as long as its modules are there, and let go with them', async t => {
  await created(local, kyma({ metadata: { name: 'orderly', finalizers: [orderly] } }))
  matches(t, await call('orderly'), { outcome: 'settled', requeueAfterSeconds: undefined })
  t.strictSame((await local.get(kymaRef('orderly')))?.metadata.finalizers, [orderly, guard])
  await local.delete(kymaRef('orderly'), {})
  const { deletionTimestamp = '' } = (await local.get(kymaRef('orderly')))?.metadata ?? {}
  const waiting = await call('orderly', { now: () => new Date(Date.parse(deletionTimestamp) + 10_000) })
  matches(t, waiting, {
    outcome: 'waiting',
    requeueAfterSeconds: (seconds: number) => seconds >= 290 && seconds <= 292,
  })
  await created(far, sample('Sample', 'orderly'))
  await local.patch(kymaRef('orderly'), { type: 'merge', body: { metadata: { finalizers: [guard] } } }, person)
  await call('orderly', { now: inAMoment(-1) })
  t.equal(await local.get(kymaRef('orderly')), undefined)
  t.strictSame(await finalizersOf(far, sample('Sample', 'orderly')), held.finalizers, 'nothing is purged')
  await far.patch(
    refOf(sample('Sample', 'orderly')),
    { type: 'merge', body: { metadata: { finalizers: null } } },
    person,
  )
})

t.test('KY-101 KY-195 finalizers of what modules brought are removed once the grace is over', async t => {
  await ground.access('stuck', runtime.kubeconfig)
  await created(local, moduleTemplate({ metadata: { name: 'warden-2.0.0' }, spec: { data: sample('Spare', 'any') } }))
  const manifest = moduleManifest({
    metadata: {
      name: 'stuck-warden',
      labels: { 'operator.kyma-project.io/kyma-name': 'stuck', 'operator.kyma-project.io/module-name': 'warden' },
    },
    spec: { version: '2.0.0' },
  })
  await created(local, manifest)
  const synced = [{ group, version: 'v1', kind: 'Foreign', namespace: 'default', name: 'installed' }]
  await local.patch(
    refOf(manifest),
    { type: 'merge', body: { status: { state: 'Deleting', synced } } },
    { ...person, subresource: 'status' },
  )
  await created(far, copyOf('stuck'))
  const going = [sample('Sample', 'deleted'), sample('Spare', 'deleted')]
  const freed = [sample('Sample', 'live'), sample('Foreign', 'installed')]
  const free = sample('Sample', 'free', {})
  const kept = [
    ...[sample('Skipped', 'one'), sample('Database', 'one'), sample('Foreign', 'one'), copyOf('stuck')],
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'built-in', namespace: 'default', ...held } },
  ]
  for (const object of [...going, ...freed, free, ...kept.filter(({ kind }) => kind !== 'Kyma')])
    await created(far, object)
  for (const object of going) await far.delete(refOf(object), {})
  const before = (await far.get(refOf(free)))?.metadata.resourceVersion
  await deletedKyma('stuck')

  matches(t, await call('stuck', { ...skipping, now: inAMoment(-1) }), { outcome: 'waiting' })
  t.strictSame(await finalizersOf(far, freed[0] as KubeObject), held.finalizers, 'not within the grace')
  matches(t, await call('stuck', skipping), { outcome: 'settled' })
  for (const object of going) t.equal(await far.get(refOf(object)), undefined, `${object.kind} ${object.metadata.name}`)
  for (const object of freed)
    t.strictSame(await finalizersOf(far, object), [], `${object.kind} ${object.metadata.name}`)
  for (const object of kept)
    t.strictSame(await finalizersOf(far, object), object.metadata.finalizers, `${object.kind} ${object.metadata.name}`)
  t.equal((await far.get(refOf(free)))?.metadata.resourceVersion, before, 'what has no finalizer is not written')
  t.strictSame(
    await finalizersOf(local, kyma({ metadata: { name: 'stuck' } })),
    [orderly],
    'the rest of the deletion goes on',
  )
})

t.test('KY-102 nothing is purged where nobody has access, or where others live', async t => {
  await deletedKyma('no-access')
  await deletedKyma('own-cluster')
  await ground.access('own-cluster', controlPlane.kubeconfig)
  await deletedKyma('with-others')
  await ground.access('with-others', runtime.kubeconfig)
  const object = sample('Sample', 'of-others')
  await created(far, object)
  const because = {
    'no-access': 'the access Secret no longer exists',
    'own-cluster': "the runtime is the control plane's own cluster",
    'with-others': 'the runtime also belongs to another Kyma',
  }
  for (const [name, reason] of Object.entries(because)) {
    await call(name)
    t.strictSame(await finalizersOf(local, kyma({ metadata: { name } })), [orderly], name)
    t.strictSame(await ground.events(name), [`Normal NotPurged: nothing is purged: ${reason}`], name)
  }
  t.strictSame(await finalizersOf(far, object), held.finalizers)
  await far.patch(refOf(copyOf('')), { type: 'merge', body: { metadata: { finalizers: null } } }, person)
  await far.delete(refOf(copyOf('')), {})
})

t.test('KY-289 a copy that names a Kyma which is gone keeps nothing from being purged', async t => {
  const copy = copyOf('long-gone')
  await created(far, { ...copy, metadata: { ...copy.metadata, finalizers: [] } })
  await ground.access('last', runtime.kubeconfig)
  await deletedKyma('last')
  const object = sample('Sample', 'of-the-last')
  await created(far, object)
  await call('last')
  t.strictSame(await finalizersOf(far, object), [])
  await far.delete(refOf(copy), {})
})

t.test(
  'KY-282 a Kyma whose modules are in the control plane purges no cluster that an access Secret leads to',
  async t => {
    await created(
      local,
      kyma({ metadata: { name: 'here', finalizers: [orderly, guard] }, spec: { remote: { enabled: false } } }),
    )
    await local.delete(kymaRef('here'), {})
    await ground.access('here', runtime.kubeconfig)
    const object = sample('Sample', 'of-nobody-here')
    await created(far, object)
    await call('here')
    t.strictSame(await finalizersOf(far, object), held.finalizers)
    t.strictSame(await finalizersOf(local, kyma({ metadata: { name: 'here' } })), [orderly])
    t.strictSame(await ground.events('here'), [
      "Normal NotPurged: nothing is purged: the modules are in the control plane's own cluster",
    ])
  },
)

t.test(
  'KY-283 where Kymas are defined but not served nobody knows whose the runtime is: nothing is purged',
  async t => {
    await ground.access('hidden', runtime.kubeconfig)
    await deletedKyma('hidden')
    const object = sample('Sample', 'of-somebody')
    await created(far, object)
    const clusters = withRuntimes(ground.everywhere, real => ({
      list: query => (query.kind === 'Kyma' ? Promise.reject(new KindNotServed(kymaKind)) : real.list(query)),
    }))
    matches(t, await call('hidden', { clusters }), { outcome: 'failed', requeueAfterSeconds: 30 })
    t.strictSame(await finalizersOf(far, object), held.finalizers)
    await call('hidden')
    t.strictSame(await finalizersOf(far, object), [])
  },
)

const denied = (what: string) => new ApiError({ code: 403, reason: 'Forbidden', message: `${what} is forbidden` })

const refusedList = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(denied('the list')) }) }

t.test('KY-103 a kind that cannot be listed and an object that cannot be written hold up no others', async t => {
  await ground.access('faulty', runtime.kubeconfig)
  await deletedKyma('faulty')
  const objects = ['refused', 'fine'].map(name => sample('Sample', name))
  const unlisted = sample('Skipped', 'unlisted')
  for (const object of [...objects, unlisted]) await created(far, object)
  let isWell = false
  const clusters = withRuntimes(ground.everywhere, real => ({
    pages: query => (!isWell && query.kind === 'Skipped' ? refusedList : real.pages(query)),
    patch: (ref, patch, options) =>
      !isWell && ref.name === 'refused' ? Promise.reject(denied('the object')) : real.patch(ref, patch, options),
  }))
  matches(t, await call('faulty', { clusters }), { outcome: 'failed', requeueAfterSeconds: 30 })
  t.strictSame(await finalizersOf(far, sample('Sample', 'fine')), [])
  t.strictSame(await finalizersOf(far, sample('Sample', 'refused')), held.finalizers)
  t.strictSame(await finalizersOf(local, kyma({ metadata: { name: 'faulty' } })), [orderly, guard])
  t.strictSame(await ground.events('faulty'), [
    `Warning PurgeFailed: Skipped of ${group}/v1: the list is forbidden; Sample default/refused: the object is forbidden`,
  ])
  isWell = true
  await call('faulty', { clusters })
  for (const object of [...objects, unlisted]) t.strictSame(await finalizersOf(far, object), [])
  t.strictSame(await finalizersOf(local, kyma({ metadata: { name: 'faulty' } })), [orderly])
})

t.test(
  'RE-47 a webhook in the runtime answers conflicts for ever: it is told, and tried again after a while',
  async t => {
    await ground.access('denying', runtime.kubeconfig)
    await deletedKyma('denying')
    const object = sample('Sample', 'denied')
    await created(far, object)
    const conflict = new ApiError({
      code: 409,
      reason: 'Conflict',
      message: 'admission webhook "mine" denied the request',
    })
    const clusters = withRuntimes(ground.everywhere, () => ({ patch: () => Promise.reject(conflict) }))
    matches(t, await call('denying', { clusters }), { outcome: 'failed', requeueAfterSeconds: 30 })
    t.strictSame(await ground.events('denying'), [
      'Warning PurgeFailed: Sample default/denied: admission webhook "mine" denied the request',
    ])
    await call('denying')
    t.strictSame(await finalizersOf(far, object), [])
  },
)

t.test('a runtime that cannot be reached is asked again; the Kyma waits', async t => {
  await ground.access('away', runtime.kubeconfig)
  await deletedKyma('away')
  const clusters = withRuntimes(ground.everywhere, () => ({ get: () => Promise.reject(new Error('nobody answers')) }))
  matches(t, await call('away', { clusters }), { outcome: 'failed', requeueAfterSeconds: 30, reason: 'nobody answers' })
  t.strictSame(await finalizersOf(local, kyma({ metadata: { name: 'away' } })), [orderly, guard])
  t.strictSame(await ground.events('away'), ['Warning PurgeFailed: nobody answers'])
})

t.test('KY-104 3,000 objects are listed page by page, and what one call has no time for the next one does', async t => {
  await ground.access('many', runtime.kubeconfig)
  await deletedKyma('many')
  const names = Array.from({ length: 3_000 }, (_, number) => `many-${number}`)
  await atOnce(
    names.map(name => () => created(far, sample('Sample', name))),
    32,
  )
  const written: string[] = []
  const began = performance.now()
  const firstCall = { ...lasting(600), lastPassAt: began + 1_000_000, lastRequestAt: began + 2_000_000 }
  const { now } = performance
  t.teardown(() => {
    performance.now = now
  })
  /** After 1,000 writes the time of the first call is over. */
  const clusters = withRuntimes(ground.everywhere, real => ({
    patch: async (ref, ...rest) => {
      if (written.push(ref.name) === 1_000) performance.now = () => now.call(performance) + 1_500_000
      return real.patch(ref, ...rest)
    },
  }))
  ground.requests.length = 0
  const later = { outcome: 'waiting', requeueAfterSeconds: 0, reason: 'the time budget of the call is used up' }
  matches(t, await call('many', { clusters, ...firstCall }), later)
  const lists = ground.requests.filter(request => request === 'there list').length
  t.ok(written.length < 1_100, `${written.length} of 3,000 were written`)
  t.ok(lists >= 6, `${lists} pages were read`)
  t.strictSame(await finalizersOf(local, kyma({ metadata: { name: 'many' } })), [orderly, guard])
  await call('many', { clusters })
  t.strictSame(written.sort(), names.sort(), 'each was written once')
  t.strictSame(await finalizersOf(local, kyma({ metadata: { name: 'many' } })), [orderly])
})

t.test(
  'KY-303 of any number of objects a pass takes 20,000, without their annotations, and the next one goes on',
  async t => {
    await ground.access('huge', runtime.kubeconfig)
    await deletedKyma('huge')
    const annotations = { note: 'x'.repeat(100) }
    const objects = Array.from({ length: 20_600 }, (_, at) =>
      sample('Sample', `huge-${at}`, { uid: `${at}`, resourceVersion: '1', annotations, ...held }),
    )
    const freed = new Set<string>()
    const taken: number[] = []
    const pagesOf = async function* ({ keep }: ListQuery) {
      const left = objects.filter(({ metadata }) => !freed.has(metadata.name))
      const reading = taken.push(0) - 1
      for (let at = 0; at < left.length; at += 500) {
        const page = left.slice(at, at + 500).flatMap(object => keep?.(object) ?? [])
        t.notOk(page.some(({ metadata }) => metadata.annotations))
        taken[reading] = at + page.length
        yield { objects: page, resourceVersion: '1' }
      }
    }
    const clusters = withRuntimes(ground.everywhere, real => ({
      pages: query => (query.kind === 'Sample' ? pagesOf(query) : real.pages(query)),
      patch: async ({ apiVersion, kind, namespace, name }) => {
        freed.add(name)
        return { apiVersion, kind, metadata: { namespace, name, uid: name, resourceVersion: '2' } }
      },
    }))
    await call('huge', { clusters })
    t.strictSame([taken, freed.size], [[20_500, 600], 20_600])
    t.strictSame(await finalizersOf(local, kyma({ metadata: { name: 'huge' } })), [orderly])
  },
)
