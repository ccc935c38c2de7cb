// What garden-reconcile reads of the runtime cluster, and of the virtual garden while a rotation goes on.
import t from 'tap'
import { apiserverFaults } from '../../../functions/garden-reconcile/desired/apiserver/apiserver.ts'
import { runtimeObjects, sharedDefinitions } from '../../../functions/garden-reconcile/gather/runtime-objects.ts'
import { virtualObjects, withVirtualGarden } from '../../../functions/garden-reconcile/gather/virtual-garden.ts'
import { gather } from '../../../functions/garden-reconcile/gather.ts'
import { objectsOf, servesKind } from '../../../functions/garden-reconcile/rules/objects.ts'
import { encryptingServers } from '../../../functions/garden-reconcile/rules/rotation/encryption-moves.ts'
import { encryptedKinds } from '../../../functions/garden-reconcile/rules/rotation/virtual-objects.ts'
import { gardenReconcileSettings } from '../../../functions/garden-reconcile/settings.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { defaultValues } from '../../../shared/core/settings/setting.ts'
import type { Client, ListQuery, Reads } from '../../../shared/kube/client-types.ts'
import { KindNotServed } from '../../../shared/kube/errors.ts'
import type { Kubeconfig } from '../../../shared/kube/kubeconfigs/clients.ts'
import { processMemory } from '../../../shared/runtime/process-memory.ts'
import { readsInOrder } from '../../harness/reads-in-order.ts'
import { garden } from '../../make/garden/garden.ts'
import { gardenWorld } from '../../make/garden/garden-world.ts'
import { mountedSecret } from '../../make/garden/virtual-garden.ts'
import { serverCertificate } from '../../make/server-certificate.ts'

const owned = { 'operator.gardener.cloud/managed-by': 'garden-reconcile' }

const readsOf = (objects: readonly KubeObject[], served: (kind: string) => boolean = () => true): Reads => ({
  get: async ref => objects.find(({ kind, metadata }) => kind === ref.kind && metadata.name === ref.name),
  list: async query => {
    if (!served(query.kind)) throw new KindNotServed(query)
    return objects.filter(object => isAsked(object, query)).flatMap(object => shown(object, query))
  },
})

const isAsked = ({ kind, metadata }: KubeObject, query: ListQuery): boolean =>
  kind === query.kind &&
  (query.namespace ?? metadata.namespace) === metadata.namespace &&
  query.fieldSelector !== `metadata.namespace!=${metadata.namespace}` &&
  (query.labelSelector === undefined || metadata.labels?.['operator.gardener.cloud/managed-by'] === 'garden-reconcile')

const shown = (object: KubeObject, { keep, withManagedFields }: ListQuery): KubeObject[] => {
  const managed = withManagedFields ? { managedFields: [{}] } : {}
  const read = { ...object, metadata: { ...object.metadata, ...managed } }
  const kept = keep ? keep(read) : read
  return kept ? [kept] : []
}

const named = (kind: string, name: string, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, ...metadata },
})

const definition = (plural: string, kind: string): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.org`, labels: owned },
  spec: { group: 'example.org', names: { kind }, versions: [{ name: 'v1', storage: true }] },
})

t.test('what is read of a kind by several rows is there once, in full', async t => {
  const objects = [
    named('Secret', 'ours', { namespace: 'garden', labels: owned }),
    named('Secret', 'referenced', { namespace: 'garden' }),
    named('Secret', 'ours-elsewhere', { namespace: 'istio-system', labels: owned }),
    named('Secret', 'foreign', { namespace: 'default' }),
    { ...named('Deployment', 'istiod', { namespace: 'istio-system', labels: owned }), apiVersion: 'apps/v1' },
  ]
  const found = await runtimeObjects(readsOf(objects, kind => kind !== 'Etcd'))
  const secrets = objectsOf(found, { apiVersion: 'v1', kind: 'Secret' })
  t.strictSame(secrets.map(({ metadata }) => metadata.name).sort(), ['ours', 'ours-elsewhere', 'referenced'])
  const deployments = objectsOf(found, { apiVersion: 'apps/v1', kind: 'Deployment' })
  t.strictSame(
    deployments.map(({ metadata }) => metadata.managedFields),
    [[{}]],
  )
  t.notOk(servesKind(found, { apiVersion: 'druid.gardener.cloud/v1alpha1', kind: 'Etcd' }))
  t.ok(servesKind(found, { apiVersion: 'apps/v1', kind: 'Deployment' }))
})

t.test(
  'GA-374 Deployments are read after ManagedResources, so that these do not stand beside former Deployments',
  async t => {
    const { reads, lists } = readsInOrder(readsOf([]))
    await runtimeObjects(reads)
    t.ok(lists.indexOf('Deployment asked') > lists.indexOf('ManagedResource answered'), lists.join())
    t.ok(lists.indexOf('Secret asked') < lists.indexOf('ManagedResource answered'), 'all others at once')
  },
)

t.test('no object is read by two lists, and only Secrets by more than one', async t => {
  const secrets = [
    { namespace: 'garden', labels: owned },
    { namespace: 'istio-system', labels: owned },
  ]
  const maps = secrets.map(metadata => named('ConfigMap', `of-${metadata.namespace}`, metadata))
  const objects = [...secrets.map(metadata => named('Secret', `of-${metadata.namespace}`, metadata)), ...maps]
  const [listed, kinds]: [KubeObject[], string[]] = [[], []]
  const { get, list } = readsOf([...objects, definition('pears', 'Pear')])
  const noting: Reads = {
    get,
    list: async query => {
      const found = await list(query)
      kinds.push(query.kind)
      listed.push(...found)
      return found
    },
  }
  await runtimeObjects(noting)
  t.strictSame(
    kinds.filter((kind, index) => kinds.indexOf(kind) !== index),
    ['Secret'],
  )
  t.strictSame(listed.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort(), [
    'ConfigMap of-garden',
    'CustomResourceDefinition pears.example.org',
    'Secret of-garden',
    'Secret of-istio-system',
  ])
})

t.test('the certificate that only a label tells is among what is read', async t => {
  const labels = { 'gardener.cloud/role': 'garden-cert' }
  const certificate = mountedSecret('landscape', await serverCertificate())
  const spec = { virtualCluster: { kubernetes: { kubeAPIServer: { sni: { domainPatterns: ['*.example.com'] } } } } }
  const faults = async (...objects: readonly KubeObject[]) =>
    apiserverFaults(gardenWorld({ garden: garden({ spec }), runtime: await runtimeObjects(readsOf(objects)) }))
  t.strictSame(await faults({ ...certificate, metadata: { ...certificate.metadata, labels } }), [])
  t.equal((await faults(named('Secret', 'landscape', { namespace: 'garden' }))).length, 1)
})

t.test('a definition of which others have objects is shared', async t => {
  const definitions = [definition('pears', 'Pear'), definition('apples', 'Apple')]
  const objects = [...definitions, named('Pear', 'ours', { labels: owned }), named('Apple', 'of-others')]
  t.strictSame(await sharedDefinitions(readsOf(objects), definitions), ['apples.example.org'])
})

t.test('what is needed of the virtual garden is read with the kubeconfig of gardener-internal', async t => {
  const data = { kubeconfig: Buffer.from('leads there').toString('base64') }
  const local = readsOf([{ ...named('Secret', 'gardener-internal', { namespace: 'garden' }), data }]) as Client
  const virtual = readsOf([named('Secret', 'a')], kind => kind !== 'ShootState') as Client
  const dialled: Kubeconfig[] = []
  const remoteClient = async (kubeconfig: Kubeconfig) => {
    dialled.push(kubeconfig)
    return virtual
  }
  const settings = { virtualGardenAddress: '127.0.0.1:6443' }
  const clusters = withVirtualGarden({
    memory: { ...processMemory(), remoteClient },
    settings,
    clusters: { of: async () => local },
  })
  t.equal(await clusters.of('local'), local)
  t.equal(await virtualObjects([], clusters), undefined)
  t.strictSame(dialled, [])
  const labelSelector = 'operator.gardener.cloud/managed-by=garden-reconcile'
  const selected = await virtualObjects(
    [{ apiVersion: 'v1', kind: 'Secret', plural: 'secrets', labelSelector }],
    clusters,
  )
  t.strictSame(selected && 'read' in selected && [...selected.read.values()], [[]], 'only what is asked for')
  const found = await virtualObjects(
    encryptingServers.flatMap(server => encryptedKinds[server]),
    clusters,
  )
  const read = found && 'read' in found ? [...found.read] : []
  t.strictSame(
    read.map(([kind, objects]) => `${kind} ${objects.length}`),
    [
      ...['v1 Secret 1', 'core.gardener.cloud/v1 ControllerDeployment 0'],
      ...['ControllerRegistration', 'InternalSecret'].map(kind => `core.gardener.cloud/v1beta1 ${kind} 0`),
    ],
  )
  t.strictSame(
    dialled.map(({ text, dialAt }) => [text, dialAt]),
    [['leads there', '127.0.0.1:6443']],
  )
})

t.test('Pods that end are looked for while a rotation goes on', async t => {
  const ending = { namespace: 'garden', deletionTimestamp: '2026-01-01T00:00:00Z' }
  const objects = [named('Pod', 'ends', ending), named('Pod', 'stays', { namespace: 'garden' })]
  const reads = { ...readsOf(objects), raw: async () => ({ gitVersion: 'v1.34.2' }) } as unknown as Client
  const worldIn = (phase: 'Preparing' | 'Prepared', encryptionAtRest: object = {}) => {
    const one = garden({ status: { credentials: { rotation: { serviceAccountKey: { phase } }, encryptionAtRest } } })
    const settings = { ...defaultValues(gardenReconcileSettings), images: [] }
    return gather(one, { reads, clusters: { of: async () => reads }, settings })
  }
  t.strictSame(
    (await worldIn('Preparing')).leavingPods?.map(({ metadata }) => metadata.name),
    ['ends'],
  )
  t.equal((await worldIn('Prepared')).leavingPods, undefined)
  t.ok((await worldIn('Prepared', { resources: ['configmaps'] })).leavingPods, 'what is encrypted changes')
})
