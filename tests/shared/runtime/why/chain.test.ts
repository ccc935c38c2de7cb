// Why an object is not ready, from objects as an API server gives them.
import t from 'tap'
import { istioNames } from '../../../../shared/api/istio/names.ts'
import type { KubeObject, ObjectRef } from '../../../../shared/core/objects/object.ts'
import { refOf, refText } from '../../../../shared/core/objects/object.ts'
import type { ListQuery, Reads } from '../../../../shared/kube/client-types.ts'
import { chainOf, type Link } from '../../../../shared/runtime/why/chain.ts'

type Clusters = Readonly<Record<string, readonly KubeObject[]>>

const now = () => new Date('2026-01-01T12:00:00Z')

const readsIn = (objects: readonly KubeObject[]): Reads => ({
  get: async ref => objects.find(object => refText(refOf(object)) === refText(ref)),
  list: async ({ kind, namespace, labelSelector, fieldSelector }: ListQuery) =>
    objects.filter(
      object =>
        object.kind === kind &&
        object.metadata.namespace === namespace &&
        (!labelSelector || labelSelector === `app=${object.metadata.labels?.app}`) &&
        (!fieldSelector ||
          fieldSelector === `involvedObject.uid=${(object.involvedObject as { uid: string }).uid},type=${object.type}`),
    ),
})

const chain = (ref: ObjectRef, clusters: Clusters, everything = false): Promise<Link> =>
  chainOf(ref, {
    reads: async on => {
      const objects = clusters[on]
      if (!objects) throw new Error(`there is no Secret for ${on}`)
      return readsIn(objects)
    },
    now,
    everything,
  })

/** Its lines, indented by depth. */
const lines = ({ object, on, is, says, because, more }: Link, depth = 0): string[] => [
  `${' '.repeat(depth)}${object}${on ? ` in ${on}` : ''}: ${is}`,
  ...says.map(sentence => `${' '.repeat(depth)}- ${sentence}`),
  ...because.flatMap(link => lines(link, depth + 1)),
  ...(more ? [`${' '.repeat(depth)}and ${more} more`] : []),
]

const object = (apiVersion: string, kind: string, name: string, more: object = {}, namespace = 'shop'): KubeObject => ({
  apiVersion,
  kind,
  ...more,
  metadata: { name, namespace, uid: `${kind}-${name}`, ...(more as { metadata?: object }).metadata },
})

const item = (kind: string, name: string, status: string, phase = 'Creating', group = 'apps') => ({
  group,
  version: 'v1',
  kind,
  namespace: 'shop',
  name,
  status,
  phase,
})

const component = (inventory: readonly object[], more: object = {}): KubeObject =>
  object('core.espalier.dev/v1alpha1', 'Component', 'shop', {
    spec: {},
    status: {
      state: 'Processing',
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          message: 'waits for 1 of 2 dependents',
          lastTransitionTime: '2026-01-01T11:00:00Z',
        },
      ],
      inventory,
    },
    ...more,
  })

const deployment = (name: string, ready: number): KubeObject =>
  object('apps/v1', 'Deployment', name, {
    spec: { replicas: 1, selector: { matchLabels: { app: name } } },
    status: {
      replicas: 1,
      updatedReplicas: 1,
      availableReplicas: ready,
      readyReplicas: ready,
      conditions: [
        { type: 'Available', status: ready ? 'True' : 'False' },
        { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
      ],
    },
  })

const pod = (app: string, status: object): KubeObject =>
  object('v1', 'Pod', `${app}-1`, { metadata: { labels: { app } }, status })

const pulling = {
  phase: 'Pending',
  containerStatuses: [
    {
      name: 'app',
      ready: false,
      state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "x"' } },
    },
  ],
}

const shop = refOf(component([]))

t.test('SEE-31 SEE-32 from a Component by its Deployment to the Pod whose image cannot be pulled', async t => {
  const local = [
    component([
      item('Deployment', 'web', 'InProgress'),
      item('Deployment', 'db', 'Current', 'Ready'),
      item('Job', 'later', '', 'Completed', 'batch'),
      item('Deployment', 'next', 'InProgress', 'ScheduledForApplication'),
    ]),
    deployment('web', 0),
    deployment('db', 1),
    pod('web', pulling),
    pod('db', { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }),
  ]
  const found = await chain(shop, { local })
  t.strictSame(lines(found), [
    'Component shop/shop: waiting',
    '- waits for 1 of 2 dependents',
    ' Deployment shop/web: waiting',
    ' - 0 of 1 replicas are available',
    '  Pod shop/web-1: waiting',
    '  - ImagePullBackOff: Back-off pulling image "x"',
  ])
  t.equal(found.since, '2026-01-01T11:00:00Z')
})

t.test('SEE-36 a tree has the parts that are ready, too', async t => {
  const local = [
    component([item('Deployment', 'web', 'Current', 'Ready')], {
      status: { state: 'Ready', inventory: [item('Deployment', 'web', 'Current', 'Ready')] },
    }),
    deployment('web', 1),
    pod('web', { phase: 'Succeeded' }),
  ]
  t.strictSame(lines(await chain(shop, { local }, true)), [
    'Component shop/shop: ready',
    ' Deployment shop/web: ready',
    '  Pod shop/web-1: ready',
  ])
  t.strictSame(lines(await chain(shop, { local })), ['Component shop/shop: ready'])
})

t.test('SEE-31 five parts of an object, and how many more', async t => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const found = lines(
    await chain(shop, { local: [component(names.map(name => item('Deployment', name, 'InProgress')))] }),
  )
  t.strictSame(found.slice(-2), [' - does not exist', 'and 2 more'])
  t.equal(found.filter(line => line.endsWith(': missing')).length, 5)
})

t.test('SEE-31 a chain ends eight objects below the first', async t => {
  const inner = (name: string) => ({
    ...item('Component', name, 'InProgress', 'Creating', 'core.espalier.dev'),
    version: 'v1alpha1',
  })
  const nested = Array.from({ length: 12 }, (_, at) =>
    component([inner(`c${at + 1}`)], { metadata: { name: at === 0 ? 'shop' : `c${at}` } }),
  )
  const found = lines(await chain(shop, { local: nested })).filter(line => line.endsWith(': waiting'))
  t.strictSame(
    found.map(line => line.trim()),
    ['shop', ...Array.from({ length: 8 }, (_, at) => `c${at + 1}`)].map(name => `Component shop/${name}: waiting`),
  )
})

t.test('SEE-32 each kind of workload by its selector to its Pod', async t => {
  for (const [apiVersion, kind] of [
    ['apps/v1', 'Deployment'],
    ['apps/v1', 'StatefulSet'],
    ['apps/v1', 'DaemonSet'],
    ['apps/v1', 'ReplicaSet'],
    ['batch/v1', 'Job'],
  ] as const) {
    const group = apiVersion.split('/')[0] ?? ''
    const workload = object(apiVersion, kind, 'web', {
      spec: { selector: { matchLabels: { app: 'web' } } },
      status: {},
    })
    const local = [component([item(kind, 'web', 'InProgress', 'Creating', group)]), workload, pod('web', pulling)]
    const found = lines(await chain(shop, { local }))
    t.strictSame(
      found.slice(-2),
      ['  Pod shop/web-1: waiting', '  - ImagePullBackOff: Back-off pulling image "x"'],
      kind,
    )
  }
})

t.test('SEE-32 a Kyma by the Manifest of its module to the workload in its runtime', async t => {
  const metadata = { name: 'basic-web', namespace: 'kcp-system' }
  const refOfKind = { apiVersion: 'operator.kyma-project.io/v1beta2', kind: 'Manifest' }
  const kyma = object(
    'operator.kyma-project.io/v1beta2',
    'Kyma',
    'basic',
    {
      status: {
        state: 'Processing',
        lastOperation: { operation: 'waiting for all modules to become ready', lastUpdateTime: '2026-01-01T10:00:00Z' },
        modules: [
          {
            name: 'web',
            state: 'Processing',
            message: 'm',
            manifest: { apiVersion: 'operator.kyma-project.io/v1beta2', kind: 'Manifest', metadata },
          },
          {
            name: 'db',
            state: 'Ready',
            manifest: { ...refOfKind, metadata: { name: 'basic-db', namespace: 'kcp-system' } },
          },
        ],
      },
    },
    'kcp-system',
  )
  const manifest = object(
    'operator.kyma-project.io/v1beta2',
    'Manifest',
    'basic-web',
    {
      metadata: { labels: { 'operator.kyma-project.io/kyma-name': 'basic' } },
      spec: {
        resource: { apiVersion: 'example.com/v1', kind: 'Web', metadata: { name: 'default', namespace: 'shop' } },
      },
      status: {
        state: 'Processing',
        lastOperation: { operation: 'installing', lastUpdateTime: '2026-01-01T10:00:00Z' },
        synced: [
          { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'shop', name: 'web' },
          { group: '', version: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'absent' },
        ],
      },
    },
    'kcp-system',
  )
  const runtime = [
    deployment('web', 0),
    pod('web', pulling),
    object('example.com/v1', 'Web', 'default', { status: { state: 'Ready' } }),
  ]
  t.strictSame(lines(await chain(refOf(kyma), { local: [kyma, manifest], 'runtimes/basic': runtime })), [
    'Kyma kcp-system/basic: waiting',
    '- waiting for all modules to become ready',
    '- module web is Processing: m',
    ' Manifest kcp-system/basic-web: waiting',
    ' - installing',
    '  Deployment shop/web in runtimes/basic: waiting',
    '  - 0 of 1 replicas are available',
    '   Pod shop/web-1 in runtimes/basic: waiting',
    '   - ImagePullBackOff: Back-off pulling image "x"',
  ])
  const tree = lines(await chain(refOf(kyma), { local: [kyma, manifest], 'runtimes/basic': runtime }, true))
  t.strictSame(
    tree.filter(line => /Manifest/.test(line)),
    [' Manifest kcp-system/basic-web: waiting', ' Manifest kcp-system/basic-db: missing'],
  )
  const away = lines(await chain(refOf(manifest), { local: [kyma, manifest] }))
  t.strictSame(away.slice(2, 4), [
    ' Deployment shop/web in runtimes/basic: unknown',
    ' - cannot be read: there is no Secret for runtimes/basic',
  ])
})

t.test('SEE-32 SEE-31 a Garden that succeeded, and says that something is unhealthy', async t => {
  const garden = object(
    'operator.gardener.cloud/v1alpha1',
    'Garden',
    'garden',
    {
      status: {
        lastOperation: { state: 'Succeeded', description: 'Garden has been reconciled.' },
        conditions: [
          { type: 'RuntimeComponentsHealthy', status: 'False', reason: 'DeploymentUnhealthy', message: 'web is ill' },
        ],
      },
    },
    '',
  )
  const ill = { ...deployment('web', 0), metadata: { name: 'web', namespace: 'garden', uid: 'w' } }
  t.strictSame(lines(await chain(refOf(garden), { local: [garden, ill] })), [
    'Garden garden: failed',
    '- RuntimeComponentsHealthy is False (DeploymentUnhealthy): web is ill',
    '- Garden has been reconciled.',
    ' Deployment garden/web: waiting',
    ' - 0 of 1 replicas are available',
  ])
})

t.test('SEE-93 a Garden that succeeded, with a check that failed a moment ago, waits', async t => {
  const condition = (type: string, status: string) => ({
    type,
    status,
    reason: 'DeploymentUnhealthy',
    message: 'web is ill',
  })
  const stateWith = async (...conditions: object[]) => {
    const lastOperation = { state: 'Succeeded', description: 'Garden has been reconciled.' }
    const garden = object(
      'operator.gardener.cloud/v1alpha1',
      'Garden',
      'garden',
      { status: { lastOperation, conditions } },
      '',
    )
    return lines(await chain(refOf(garden), { local: [garden] }))
  }
  const [well, recent, ill] = ['True', 'Progressing', 'False'].map((status, n) => condition(`Check${n}`, status)) as [
    object,
    object,
    object,
  ]
  t.strictSame(await stateWith(well, recent), [
    'Garden garden: waiting',
    '- Check1 is Progressing (DeploymentUnhealthy): web is ill',
    '- Garden has been reconciled.',
  ])
  t.equal((await stateWith(recent, ill))[0], 'Garden garden: failed')
})

t.test('SEE-37 SEE-33 a Watcher by the condition that is not True, and its Event', async t => {
  const condition = (type: string, status: string, message: string) => ({
    type,
    status,
    message,
    lastTransitionTime: '2026-01-01T11:30:00Z',
  })
  const conditions = [
    condition('Other', 'True', 'is well'),
    condition('VirtualService', 'False', 'VirtualService is not configured'),
  ]
  const watcher = object('operator.kyma-project.io/v1beta2', 'Watcher', 'events', {
    status: { state: 'Error', conditions },
  })
  const event = object('v1', 'Event', 'one', {
    reason: 'WatcherGatewayNotFound',
    message: 'no Gateway in namespace kcp-system matches {}',
    type: 'Warning',
    involvedObject: { uid: 'Watcher-events' },
  })
  const found = await chain(refOf(watcher), { local: [watcher, event] })
  t.strictSame(lines(found), [
    'Watcher shop/events: failed',
    '- VirtualService is not configured',
    '- Event WatcherGatewayNotFound: no Gateway in namespace kcp-system matches {}',
  ])
  t.equal(found.since, '2026-01-01T11:30:00Z')
})

t.test('SEE-38 at most 50 parts in trouble are read, and 200 of a tree, ten at once; others are counted', async t => {
  const inventory = Array.from({ length: 300 }, (_, at) =>
    item('Deployment', `d${at}`, at < 290 ? 'InProgress' : 'Current'),
  )
  const asked = async (everything: boolean) => {
    let [open, most, count] = [0, 0, 0]
    const reads = readsIn([component(inventory)])
    const get: Reads['get'] = async ref => {
      most = Math.max(most, ++open)
      count++
      await new Promise(setImmediate)
      open--
      return reads.get(ref)
    }
    const { because, more } = await chainOf(shop, { reads: async () => ({ ...reads, get }), now, everything })
    return [count, most, because.length, more]
  }
  t.strictSame(await asked(false), [51, 10, 5, 285])
  t.strictSame(await asked(true), [201, 10, 200, 100])
})

t.test('SEE-33 the last Warning Event, of whatever says nothing more', async t => {
  const claim = object('v1', 'PersistentVolumeClaim', 'disk', { status: { phase: 'Pending' } })
  const event = (reason: string, at: string, uid = 'PersistentVolumeClaim-disk', type = 'Warning') =>
    object('v1', 'Event', reason, {
      reason,
      message: 'no storage class',
      type,
      lastTimestamp: at,
      involvedObject: { uid },
    })
  const events = [
    event('Newest', '2026-01-01T11:50:00Z'),
    event('Older', '2026-01-01T11:40:00Z'),
    event('OfAnother', '2026-01-01T11:59:00Z', 'else'),
    event('Normal', '2026-01-01T11:59:00Z', 'PersistentVolumeClaim-disk', 'Normal'),
  ]
  t.strictSame(lines(await chain(refOf(claim), { local: [claim, ...events] })), [
    'PersistentVolumeClaim shop/disk: waiting',
    '- is not bound',
    '- Event Newest: no storage class',
  ])
})

t.test('SEE-33 a quota that lets a Deployment have no Pod is named by its condition', async t => {
  const web = deployment('web', 0)
  const conditions = [
    { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota: small' },
  ]
  const found = await chain(refOf(web), { local: [{ ...web, status: { ...(web.status as object), conditions } }] })
  t.strictSame(lines(found), ['Deployment shop/web: waiting', '- FailedCreate: exceeded quota: small'])
})

t.test('SEE-33 Events that may not be read are named', async t => {
  const claim = object('v1', 'PersistentVolumeClaim', 'disk', { status: { phase: 'Pending' } })
  const reads = { ...readsIn([claim]), list: () => Promise.reject(new Error('events is forbidden')) }
  const found = await chainOf(refOf(claim), { reads: async () => reads, now })
  t.strictSame(lines(found).slice(-1), ['- its Events cannot be read: events is forbidden'])
})

t.test('SEE-32 Pods are not asked for where a selector has matchExpressions', async t => {
  const web = deployment('web', 0)
  const selector = { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'x', operator: 'Exists' }] }
  const local = [{ ...web, spec: { replicas: 1, selector } }, pod('web', pulling)]
  t.strictSame((await chain(refOf(web), { local })).because, [])
})

t.test('SEE-34 what is being deleted says which finalizers hold it; a Namespace what remains', async t => {
  const deleted = { deletionTimestamp: '2026-01-01T09:00:00Z' }
  const ended = component([item('Deployment', 'web', 'Terminating', 'Deleting')], {
    metadata: { ...deleted, finalizers: ['a/b', 'c'] },
  })
  const going = { ...deployment('web', 1), metadata: { ...deployment('web', 1).metadata, ...deleted } }
  const found = await chain(shop, { local: [ended, going] })
  t.strictSame(lines(found), [
    'Component shop/shop: deleting',
    '- is being deleted; blocked by finalizers: a/b, c',
    '- waits for 1 of 2 dependents',
    ' Deployment shop/web: deleting',
    ' - is being deleted',
  ])
  t.equal(found.since, '2026-01-01T09:00:00Z')
  const namespace = object(
    'v1',
    'Namespace',
    'shop',
    {
      metadata: deleted,
      status: {
        conditions: [
          { type: 'NamespaceContentRemaining', status: 'True', message: 'Some resources are remaining' },
          { type: 'NamespaceDeletionContentFailure', status: 'False', message: 'no' },
        ],
      },
    },
    '',
  )
  t.strictSame(lines(await chain(refOf(namespace), { local: [namespace] })), [
    'Namespace shop: deleting',
    '- is being deleted',
    '- Some resources are remaining',
  ])
})

t.test('SEE-35 an inventory that names its own Component ends the chain', async t => {
  const circle = component([
    { ...item('Component', 'shop', 'InProgress'), group: 'core.espalier.dev', version: 'v1alpha1' },
  ])
  t.strictSame(lines(await chain(shop, { local: [circle] })), [
    'Component shop/shop: waiting',
    '- waits for 1 of 2 dependents',
    ' Component shop/shop: waiting',
    ' - is explained above',
  ])
})

t.test('SEE-31 what is suspended, missing', async t => {
  const local = [component([], { spec: { suspend: true } })]
  t.equal((await chain(shop, { local })).is, 'suspended')
  t.strictSame(lines(await chain(shop, { local: [] })), ['Component shop/shop: missing', '- does not exist'])
})

t.test(
  'SEE-56 inventories below the status and in the annotation of an Istio; rubbish there counts as nothing',
  async t => {
    const inventory = [item('Deployment', 'web', 'InProgress'), { name: 5 }]
    const own = object('example.org/v1', 'Orchard', 'shop', { status: { engine: { state: 'Processing', inventory } } })
    const istio = (text: string) =>
      object('operator.kyma-project.io/v1alpha2', 'Istio', 'shop', {
        status: { state: 'Processing' },
        metadata: { annotations: { [istioNames.annotations.status]: text } },
      })
    for (const root of [own, istio(JSON.stringify({ inventory }))])
      t.strictSame(lines(await chain(refOf(root), { local: [root] })).slice(-2), [
        ' Deployment shop/web: missing',
        ' - does not exist',
      ])
    t.strictSame((await chain(refOf(own), { local: [istio('{')] }, true)).because, [])
  },
)

t.test('SEE-36 dependents come in the order of their waves, and name them; one wave has no name', async t => {
  const ordered = [
    { ...item('Deployment', 'b', 'Current'), applyOrder: 5 },
    { ...item('Deployment', 'a', 'Current'), applyOrder: -1 },
  ]
  const wavesOf = async (inventory: readonly object[]) => {
    const status = { state: 'Ready', inventory }
    const found = await chain(shop, { local: [object(shop.apiVersion, 'Component', 'shop', { status })] }, true)
    return found.because.map(({ object, wave }) => [object, wave])
  }
  t.strictSame(await wavesOf(ordered), [
    ['Deployment shop/a', 1],
    ['Deployment shop/b', 2],
  ])
  t.strictSame(await wavesOf(ordered.map(one => ({ ...one, applyOrder: 3 }))), [
    ['Deployment shop/b', undefined],
    ['Deployment shop/a', undefined],
  ])
})

t.test('SEE-33 an Event that says what the status says is left out', async t => {
  const conditions = [{ type: 'Ready', status: 'False', message: 'no such chart' }]
  const said = async (message: string) => {
    const event = object('v1', 'Event', 'e', {
      ...{ type: 'Warning', reason: 'Error', message, involvedObject: { uid: 'Component-shop' } },
    })
    const status = { state: 'Error', conditions }
    return (await chain(shop, { local: [object(shop.apiVersion, 'Component', 'shop', { status }), event] })).says
  }
  t.strictSame(await said('no such chart'), ['no such chart'])
  t.strictSame(await said('another'), ['no such chart', 'Event Error: another'])
})

t.test('SEE-45 a Kyma that its label suspends is being deleted all the same', async t => {
  const apiVersion = 'operator.kyma-project.io/v1beta2'
  const labels = { 'operator.kyma-project.io/skip-reconciliation': 'true' }
  const kyma = (metadata: object) =>
    object(apiVersion, 'Kyma', 'k', { metadata: { labels, ...metadata } }, 'kcp-system')
  const found = async (one: KubeObject) => lines(await chain(refOf(one), { local: [one] }))
  const held = await found(kyma({ name: 'k', namespace: 'kcp-system' }))
  t.ok(held[0]?.endsWith(': suspended'), held.join())
  const going = { deletionTimestamp: '2026-01-01T11:00:00Z', finalizers: ['a'] }
  const gone = await found(kyma({ name: 'k', namespace: 'kcp-system', ...going }))
  t.ok(gone[0]?.endsWith(': deleting'), gone.join())
  t.notOk(gone.join().includes('suspended'), gone.join())
})
