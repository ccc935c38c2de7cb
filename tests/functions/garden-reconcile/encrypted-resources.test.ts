// Resources that are encrypted on request: files, objects and status follow what the Garden says, one change after another.
import t from 'tap'
import { parse } from 'yaml'
import { encryptionConfiguration } from '../../../functions/garden-reconcile/desired/apiserver-parts/encryption-config.ts'
import type { EncryptingServer } from '../../../functions/garden-reconcile/rules/rotation/encryption-moves.ts'
import { encryptedQueries } from '../../../functions/garden-reconcile/rules/rotation/encryption-rotation.ts'
import { virtualKindOf, virtualObjectsOf } from '../../../functions/garden-reconcile/rules/rotation/virtual-objects.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import { secretText } from '../../../shared/core/objects/secret-text.ts'
import { SimulatedGarden } from '../../harness/garden/simulated-garden.ts'
import { garden } from '../../make/garden/garden.ts'
import { madeSecrets } from '../../make/garden/garden-secrets.ts'
import { gardenWorld } from '../../make/garden/garden-world.ts'

type Resources = { readonly kube?: readonly string[]; readonly gardener?: readonly string[] }

const provider = { type: 'aescbc' }
const specOf = ({ kube = [], gardener = [] }: Resources) => ({
  virtualCluster: {
    kubernetes: { kubeAPIServer: { encryptionConfig: { provider, resources: kube } } },
    gardener: { gardenerAPIServer: { encryptionConfig: { provider, resources: gardener } } },
    etcd: { main: { backup: { provider: 'local', bucketName: 'b', secretRef: { name: 'backup' } } } },
  },
})
const statusOf = (...resources: readonly string[]) => ({ credentials: { encryptionAtRest: { provider, resources } } })
const keptIn = (resources: readonly string[]) => ({
  annotations: { 'credentials.gardener.cloud/encrypted-resources': JSON.stringify({ resources, isReadable: true }) },
})

const always = {
  'kube-apiserver': ['secrets'],
  'gardener-apiserver': ['controllerdeployments', 'controllerregistrations', 'internalsecrets', 'shootstates'].map(
    plural => `${plural}.core.gardener.cloud`,
  ),
}

/** The rules of the file of encryption keys: resources, and providers in their order. */
const rulesOf = async (server: EncryptingServer, change: object) => {
  const one = garden(change as never)
  const world = await madeSecrets(gardenWorld({ garden: one }), [`${server}-etcd-encryption-key`], new Date(0))
  const { resources } = parse(secretText(encryptionConfiguration(world, server), 'encryption-configuration.yaml'))
  return resources.map(({ resources: names, providers }: { resources: string[]; providers: object[] }) => [
    names,
    providers.flatMap(Object.keys),
  ])
}

t.test('GA-345 a file encrypts what it is asked to, and still reads what is no longer encrypted', async t => {
  const both = { kube: ['configmaps.', 'deployments.apps'], gardener: ['projects.core.gardener.cloud'] }
  const all = ['configmaps', 'deployments.apps', 'projects.core.gardener.cloud']
  const begun = { spec: specOf(both) }
  t.strictSame(await rulesOf('kube-apiserver', begun), [
    [['secrets'], ['aescbc', 'identity']],
    [
      ['configmaps', 'deployments.apps'],
      ['identity', 'aescbc'],
    ],
  ])
  const added = { ...begun, metadata: keptIn(all) }
  t.strictSame(await rulesOf('kube-apiserver', added), [
    [
      ['configmaps', 'deployments.apps', 'secrets'],
      ['aescbc', 'identity'],
    ],
  ])
  t.strictSame(await rulesOf('gardener-apiserver', added), [
    [
      ['projects.core.gardener.cloud', ...always['gardener-apiserver']],
      ['aescbc', 'identity'],
    ],
  ])
  const status = statusOf('configmaps', 'cronjobs.batch.', 'projects.core.gardener.cloud')
  const removed = { spec: specOf({ kube: ['configmaps'] }), status }
  t.strictSame(await rulesOf('kube-apiserver', removed), [
    [
      ['configmaps', 'secrets'],
      ['aescbc', 'identity'],
    ],
    [['cronjobs.batch'], ['identity', 'aescbc']],
  ])
  t.strictSame(await rulesOf('gardener-apiserver', removed), [
    [always['gardener-apiserver'], ['aescbc', 'identity']],
    [['projects.core.gardener.cloud'], ['identity', 'aescbc']],
  ])
  const later = { metadata: keptIn(['configmaps']), spec: specOf({ kube: ['cronjobs.batch'] }) }
  t.strictSame(await rulesOf('kube-apiserver', later), [
    [
      ['configmaps', 'secrets'],
      ['aescbc', 'identity'],
    ],
  ])
})

t.test('GA-378 a Garden of Gardener before 1.133 names its encrypted resources in another field', async t => {
  const status = { encryptedResources: ['configmaps', 'projects.core.gardener.cloud'] }
  const plainAgain = ['identity', 'aescbc']
  t.strictSame(await rulesOf('kube-apiserver', { spec: specOf({}), status }), [
    [always['kube-apiserver'], ['aescbc', 'identity']],
    [['configmaps'], plainAgain],
  ])
  t.strictSame((await rulesOf('gardener-apiserver', { spec: specOf({}), status }))[1], [
    ['projects.core.gardener.cloud'],
    plainAgain,
  ])
  const kept = { kube: ['configmaps'], gardener: ['projects.core.gardener.cloud'] }
  t.strictSame((await rulesOf('kube-apiserver', { spec: specOf(kept), status }))[0][0], ['configmaps', 'secrets'])
  const newer = { ...status, ...statusOf('deployments.apps') }
  t.strictSame((await rulesOf('kube-apiserver', { spec: specOf({}), status: newer }))[1], [
    ['deployments.apps'],
    plainAgain,
  ])
})

type Stop = (simulated: SimulatedGarden) => boolean

/** Passes until it settles, or until the test stops it; every pass dies after a few of its steps. */
const settle = (simulated: SimulatedGarden, stop: Stop = () => false): SimulatedGarden => {
  for (let pass = 0; pass < 400; pass++) {
    const done = simulated.pass(1 + (pass % 5) * 3)
    simulated.grow()
    if (simulated.virtual.lostKeys.length > 0) throw new Error(simulated.virtual.lostKeys.join())
    if (stop(simulated) || (done?.steps.length === 0 && done.next.is === 'settled')) return simulated
  }
  throw new Error(`it did not settle: ${simulated.garden?.status?.lastOperation?.description}`)
}

const change = (simulated: SimulatedGarden, resources: Resources): void => {
  const generation = (simulated.garden?.metadata.generation ?? 0) + 1
  simulated.cluster.put(mergePatched(simulated.garden, { metadata: { generation }, spec: specOf(resources) }) as Garden)
}

const ask = (simulated: SimulatedGarden, operation: string): void =>
  simulated.cluster.put(
    mergePatched(simulated.garden, { metadata: { annotations: { 'gardener.cloud/operation': operation } } }) as Garden,
  )

/** What the status names, in the fields of all versions of Gardener alike. */
const atRest = ({ garden: one }: SimulatedGarden) => {
  const { credentials, encryptedResources } = one?.status ?? {}
  const resources = credentials?.encryptionAtRest?.resources
  return JSON.stringify(resources) === JSON.stringify(encryptedResources) ? resources : [resources, encryptedResources]
}
const keyOf = (simulated: SimulatedGarden, server = 'kube-apiserver') =>
  simulated.cluster.objects
    .filter(({ metadata }) => metadata.labels?.name === `${server}-etcd-encryption-key`)
    .map(secret => secretText(secret, 'key'))
const marks = ({ virtual, cluster }: SimulatedGarden) =>
  [...virtual.cluster.objects, ...cluster.objects].filter(({ metadata }) =>
    /etcd-snapshotted|key-name/.test(JSON.stringify([metadata.labels, metadata.annotations])),
  )

t.test(
  'GA-346 objects of resources that are added or removed are rewritten, then the status names the resources',
  t => {
    const simulated = settle(new SimulatedGarden(garden({ metadata: { generation: 1 }, spec: specOf({}) } as never)))
    t.strictSame(
      [atRest(simulated), simulated.virtual.keysOf('ConfigMap'), simulated.snapshots],
      [undefined, ['plain'], 0],
    )
    change(simulated, { kube: ['configmaps'], gardener: ['projects.core.gardener.cloud'] })
    settle(simulated)
    t.strictSame(atRest(simulated), ['configmaps', 'projects.core.gardener.cloud'])
    t.strictSame(simulated.virtual.keysOf('ConfigMap'), keyOf(simulated))
    t.strictSame(simulated.virtual.keysOf('Project'), keyOf(simulated, 'gardener-apiserver'))
    t.strictSame(marks(simulated), [])
    const { snapshots } = simulated
    t.ok(snapshots > 0)
    change(simulated, { gardener: ['projects.core.gardener.cloud'] })
    settle(simulated)
    t.strictSame(atRest(simulated), ['projects.core.gardener.cloud'])
    t.strictSame(simulated.virtual.keysOf('ConfigMap'), ['plain'])
    t.ok(simulated.snapshots > snapshots)
    change(simulated, {})
    t.strictSame([atRest(settle(simulated)), marks(simulated)], [undefined, []])
    t.end()
  },
)

t.test('GA-378 objects of a Garden that is taken over are written anew only if its resources change', t => {
  const resources = { kube: ['configmaps'] }
  const status = { encryptedResources: ['configmaps'] }
  const taken = new SimulatedGarden(garden({ metadata: { generation: 1 }, spec: specOf(resources), status } as never))
  settle(taken)
  const { encryptedResources, credentials } = taken.garden?.status ?? {}
  t.strictSame([encryptedResources, credentials?.encryptionAtRest], [['configmaps'], { provider }])
  t.strictSame([taken.snapshots, marks(taken)], [0, []])
  change(taken, {})
  t.strictSame([atRest(settle(taken)), taken.garden?.status?.encryptedResources], [undefined, undefined])
  t.ok(taken.snapshots > 0)
  t.end()
})

t.test('GA-385 a Garden of Gardener before 1.136 names no provider, and is taken over as it is', t => {
  const change = {
    metadata: { generation: 1 },
    spec: {
      virtualCluster: {
        kubernetes: { kubeAPIServer: { encryptionConfig: { resources: ['configmaps'] } } },
        gardener: { gardenerAPIServer: { encryptionConfig: { resources: [] } } },
      },
    },
    status: {
      gardener: { id: 'a', name: 'gardener-operator-a', version: 'v1.130.0' },
      encryptedResources: ['configmaps'],
    },
  }
  const taken = settle(new SimulatedGarden(garden(change as never)))
  const { gardener, lastOperation, credentials } = taken.garden?.status ?? {}
  t.strictSame([gardener?.name, lastOperation?.state], ['garden-reconcile', 'Succeeded'])
  t.strictSame(credentials?.encryptionAtRest, { provider })
  t.end()
})

t.test('GA-347 a change is finished before the next one begins, and none begins in a rotation', t => {
  const first = { kube: ['configmaps'] }
  const simulated = new SimulatedGarden(garden({ metadata: { generation: 1 }, spec: specOf(first) } as never))
  settle(simulated, ({ virtual }) => virtual.keysOf('ConfigMap').some(key => key !== 'plain'))
  t.strictSame(atRest(simulated), undefined, 'in the middle of it')
  change(simulated, { kube: ['secrets.example.org'] })
  const seen: unknown[] = []
  settle(simulated, one => {
    if (JSON.stringify(seen.at(-1)) !== JSON.stringify(atRest(one))) seen.push(atRest(one))
    return false
  })
  t.strictSame(seen.slice(-2), [['configmaps'], ['secrets.example.org']])
  t.strictSame(simulated.virtual.keysOf('ConfigMap'), ['plain'])
  ask(simulated, 'rotate-etcd-encryption-key-start')
  settle(simulated)
  change(simulated, first)
  t.strictSame(atRest(settle(simulated)), ['secrets.example.org'], 'Prepared')
  ask(simulated, 'rotate-etcd-encryption-key-complete')
  t.strictSame(atRest(settle(simulated)), ['configmaps'])
  t.strictSame(simulated.virtual.keysOf('ConfigMap'), keyOf(simulated))
  t.end()
})

t.test('GA-348 a rotation rewrites what is encrypted on request, too, and what a change has begun with', t => {
  const resources = { gardener: ['projects.core.gardener.cloud'] }
  const simulated = new SimulatedGarden(garden({ metadata: { generation: 1 }, spec: specOf(resources) } as never))
  settle(simulated)
  change(simulated, { kube: ['configmaps'] })
  ask(simulated, 'rotate-etcd-encryption-key-start')
  t.strictSame(atRest(settle(simulated)), ['configmaps'])
  t.strictSame(simulated.virtual.keysOf('ConfigMap'), keyOf(simulated).slice(-1), 'Prepared')
  ask(simulated, 'rotate-etcd-encryption-key-complete')
  settle(simulated)
  t.equal(keyOf(simulated).length, 1)
  t.strictSame(simulated.virtual.keysOf('ConfigMap'), keyOf(simulated))
  t.strictSame(simulated.virtual.keysOf('Project'), ['plain'])
  t.end()
})

t.test('GA-346 only objects that are still to be rewritten are listed', async t => {
  const label = 'credentials.gardener.cloud/key-name'
  const [[key = ''] = []] = [Object.keys(keptIn([]).annotations)]
  const isRewritten = { [key]: JSON.stringify({ resources: ['configmaps'], isRewritten: true }) }
  const one = garden({ metadata: { annotations: isRewritten }, spec: specOf({ kube: ['configmaps'] }) } as never)
  const world = await madeSecrets(gardenWorld({ garden: one }), ['kube-apiserver-etcd-encryption-key'], new Date(0))
  t.strictSame(encryptedQueries(world)[0]?.labelSelector, label)
  const begun = { ...world, garden: garden({ spec: specOf({ kube: ['configmaps'] }) } as never) }
  t.ok(encryptedQueries(begun)[0]?.labelSelector?.startsWith(`${label}!=`))
})

t.test(
  'GA-346 a kind that nobody serves has no objects in a kube-apiserver, and is waited for in gardener-apiserver',
  t => {
    const world = { ...gardenWorld(), virtual: { read: new Map() } }
    const read = (resource: string) => virtualObjectsOf(world, virtualKindOf(resource))
    t.strictSame(read('things.example.org'), { read: [] })
    t.strictSame(read('projects.core.gardener.cloud'), { failed: 'is not served' })
    t.end()
  },
)
