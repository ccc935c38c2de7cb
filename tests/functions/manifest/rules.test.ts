// What a Manifest declares, when what it declares is ready, and which other Manifests it has to do with.
import t from 'tap'
import { engineName, moduleObjects, variableTwice } from '../../../functions/manifest/desired/module-objects.ts'
import { requestsInFlight } from '../../../functions/manifest/gather/dependents.ts'
import { type Looking, neighboursOf } from '../../../functions/manifest/gather/neighbours.ts'
import { manifest as definition } from '../../../functions/manifest/index.ts'
import { report } from '../../../functions/manifest/report.ts'
import { definitionsFault, newDefinitions, objectsFault } from '../../../functions/manifest/rules/layer-objects.ts'
import { asRemoved, isGroundKept } from '../../../functions/manifest/rules/lifecycle.ts'
import { isLongUnavailable, moduleReadiness, podTrouble } from '../../../functions/manifest/rules/readiness.ts'
import { isChanging, isLiving, isSameModule } from '../../../functions/manifest/rules/sharers.ts'
import { sayingOf } from '../../../functions/manifest/rules/states.ts'
import { manifestSettings } from '../../../functions/manifest/settings.ts'
import type { Fault, Found } from '../../../functions/manifest/world.ts'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { itemKey, itemsOf } from '../../../shared/component/item.ts'
import type { DependentsStatus } from '../../../shared/component/reported/dependents-status.ts'
import { type World as DependentsWorld, nothingObserved } from '../../../shared/component/world.ts'
import { type Step, type StepResult, settled } from '../../../shared/core/decisions/plan.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { defaultValues } from '../../../shared/core/settings/setting.ts'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import type { ListQuery } from '../../../shared/kube/client-types.ts'
import { fleetConnections, remoteAnswerSeconds } from '../../../shared/kube/limits.ts'
import { KeyedReads, sharingReads } from '../../../shared/kube/shared-reads.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { nextFor } from '../../../shared/kyma/next-call.ts'
import { matches } from '../../harness/matches.ts'
import { kyma, moduleManifest } from '../../make/kyma/kyma.ts'

const builtIn = { status: 'InProgress', message: 'the built-in rule' } as const
const manager = { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'kyma-system', name: 'operator' }

const workload = (kind: string, name: string, fields: object): KubeObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name, namespace: 'kyma-system' },
  ...fields,
})

const deployment = (...conditions: readonly (readonly [type: string, status: string, reason?: string])[]) =>
  workload('Deployment', 'operator', {
    status: { conditions: conditions.map(([type, status, reason]) => ({ type, status, reason })) },
  })

t.test('KY-124 a module is ready by its Deployments and StatefulSets, or by its manager alone', async t => {
  const [all, managed] = [moduleManifest(), moduleManifest({ spec: { manager } })]
  const stuck = workload('StatefulSet', 'store', { spec: { replicas: 2 }, status: { readyReplicas: 1 } })
  const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'x' } }
  const rows: [what: string, KubeObject, manifest: typeof all, status: string][] = [
    [
      'rolled out and available',
      deployment(['Progressing', 'True', 'NewReplicaSetAvailable'], ['Available', 'True']),
      all,
      'Current',
    ],
    [
      'rolled out, not available',
      deployment(['Progressing', 'True', 'NewReplicaSetAvailable'], ['Available', 'False']),
      all,
      'InProgress',
    ],
    ['rolling out', deployment(['Progressing', 'True', 'ReplicaSetUpdated'], ['Available', 'True']), all, 'InProgress'],
    ['a first ReplicaSet', deployment(['Progressing', 'True', 'NewReplicaSetCreated']), all, 'InProgress'],
    ['without a status', deployment(), all, 'InProgress'],
    ['its deadline has passed', deployment(['Progressing', 'False', 'ProgressDeadlineExceeded']), all, 'Failed'],
    ['a reason that nobody knows', deployment(['Progressing', 'True', 'Paused']), all, 'Failed'],
    ['a Pod is missing', stuck, all, 'InProgress'],
    ['all Pods are ready', { ...stuck, status: { readyReplicas: 2 } }, all, 'Current'],
    [
      'one Pod if nobody says',
      workload('StatefulSet', 'one', { spec: {}, status: { readyReplicas: 1 } }),
      all,
      'Current',
    ],
    ['it is not the manager', stuck, managed, 'Current'],
    ['it is the manager', deployment(), managed, 'InProgress'],
    ['any other kind', workload('DaemonSet', 'agent', {}), all, 'Current'],
    ['a definition goes by its own rule', crd, all, 'InProgress'],
    ['what is going, too', { ...deployment(), metadata: { name: 'a', deletionTimestamp: 'x' } }, managed, 'InProgress'],
  ]
  for (const [what, object, manifest, status] of rows)
    t.equal(moduleReadiness(object, builtIn, manifest).status, status, what)
})

t.test('KY-124 the first Pod of a StatefulSet tells trouble from a slow start, and the worst counts', async t => {
  const pod = (state: object | undefined): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'store-0', namespace: 'kyma-system' },
    ...(state && {
      status: { containerStatuses: [{ state }, { state: { waiting: { reason: 'CrashLoopBackOff' } } }] },
    }),
  })
  const waiting = (reason: string, message?: string) => pod({ waiting: { reason, message } })
  const rows: [what: string, KubeObject, trouble: string | undefined][] = [
    ['not seen yet', pod(undefined), undefined],
    ['its container is being made', waiting('ContainerCreating'), undefined],
    ['it runs and is not ready, and a second container crashes', pod({ running: {} }), undefined],
    ['waits for its image', waiting('ImagePullBackOff', 'no such image'), 'ImagePullBackOff: no such image'],
    ['crashes', waiting('CrashLoopBackOff'), 'CrashLoopBackOff'],
  ]
  for (const [what, object, trouble] of rows)
    t.equal(podTrouble(object), trouble && `Pod kyma-system/store-0: ${trouble}`, what)

  const note = { ref: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'a', name: 'b' }, message: 'its words' }
  const nothing = { items: [], ready: true, hasChanged: false, errors: [], next: settled }
  const quiet = { ...nothing, unready: [], failed: [], redundant: [], blocked: [] }
  let podTroubles: string[] = []
  const said = (dependents: Partial<DependentsStatus>, ...firstPods: KubeObject[]) => {
    const read = { is: 'installed', isLayerUnread: false, isDefaultGone: false } as const
    const found = { ...read, firstPods, podTroubles }
    const world = { manifest: moduleManifest(), requeue: defaultValues(manifestSettings), began: new Date() }
    const observed = { dependents: { observed: nothingObserved } as unknown as DependentsWorld }
    const c = { world: { ...world, found: { ...found, ...observed } }, now: new Date() }
    const { state, operation } = sayingOf({ ...c, dependents: { ...quiet, ...dependents } })
    return [state, operation]
  }
  t.strictSame(said({}), ['Ready', 'resources are ready'], 'nothing counts')
  t.strictSame(said({ ready: false, unready: [note] }), ['Processing', 'waiting for resources to become ready'])
  t.strictSame(said({ ready: false, unready: [note], failed: [note] }), ['Error', 'Deployment a/b: its words'])
  t.strictSame(said({ ready: false, unready: [note] }, waiting('ErrImagePull')), [
    'Error',
    'Pod kyma-system/store-0: ErrImagePull',
  ])
  podTroubles = ['Deployment a/b: Pod b-x: ImagePullBackOff']
  t.strictSame(said({ ready: false, unready: [note] }), [
    'Processing',
    'waiting for resources to become ready; Deployment a/b: Pod b-x: ImagePullBackOff',
  ])
})

t.test('KY-333 Pods are read of a Deployment that counts and has not been available for ten seconds', async t => {
  const now = new Date('2026-03-01T08:00:00Z')
  const available = (status: string, seconds: number) => {
    const lastTransitionTime = new Date(now.getTime() - seconds * 1_000).toISOString()
    const progressing = { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' }
    return { status: { conditions: [progressing, { type: 'Available', status, lastTransitionTime }] } }
  }
  const manifest = moduleManifest()
  const rows: [what: string, KubeObject, is: boolean][] = [
    ['it has just begun', workload('Deployment', 'a', available('False', 9)), false],
    ['for a while', workload('Deployment', 'a', available('False', 10)), true],
    ['it is ready', workload('Deployment', 'a', available('True', 10)), false],
    ['another kind', workload('DaemonSet', 'a', available('False', 10)), false],
  ]
  for (const [what, object, is] of rows) t.equal(isLongUnavailable(object, manifest, now), is, what)
})

t.test('RE-53 an object with a field toString where live objects have a text or a number counts as none', async t => {
  const odd = { toString: 1 }
  const manifest = moduleManifest()
  const progressing = [{ type: 'Progressing', status: 'True', reason: odd }]
  const rows: [what: string, KubeObject, status: string, message: string][] = [
    ['a reason', workload('Deployment', 'a', { status: { conditions: progressing } }), 'Failed', 'does not roll out'],
    ['replicas', workload('StatefulSet', 'a', { spec: { replicas: odd } }), 'InProgress', '0 of 1 replicas are ready'],
    [
      'ready replicas',
      workload('StatefulSet', 'a', { status: { readyReplicas: odd } }),
      'InProgress',
      '0 of 1 replicas are ready',
    ],
  ]
  for (const [what, object, status, message] of rows)
    t.strictSame(moduleReadiness(object, builtIn, manifest), { status, message, isNotAwaited: true }, what)
  const waiting = {
    ...workload('Pod', 'a', {}),
    status: { containerStatuses: [{ state: { waiting: { reason: odd } } }] },
  }
  t.equal(podTrouble(waiting), undefined)
})

t.test('KY-119 images of the landscape take the place of those with the same name and tag', async t => {
  const container = (image: string, env?: object[]) => ({ name: 'a', image, ...(env && { env }) })
  const pod = {
    containers: [container('docker.io/library/agent:1.2@sha256:0', [{ name: 'IMAGE', value: 'x.example/sidecar:2' }])],
    initContainers: [container('init:3'), container('init'), container('other/init:4')],
  }
  const objects = ['Deployment', 'StatefulSet', 'DaemonSet'].map(kind =>
    workload(kind, 'a', { spec: { template: { spec: pod } } }),
  )
  const localizedImages = [
    'here.example:5000/kyma/agent:1.2',
    'here.example:5000/sidecar:2',
    'here/init:3',
    'here/init',
  ]
  const after = moduleObjects(moduleManifest({ spec: { localizedImages } }), { layer: objects })
  const replaced = {
    containers: [
      container('here.example:5000/kyma/agent:1.2', [{ name: 'IMAGE', value: 'here.example:5000/sidecar:2' }]),
    ],
    initContainers: [container('here/init:3'), container('init'), container('other/init:4')],
  }
  t.strictSame(
    after.map(({ spec }) => (spec as { template: { spec: object } }).template.spec),
    [replaced, replaced, pod],
  )
})

t.test('KY-120 workloads pull with the Secret of the runtime, and the manager is told its name', async t => {
  const pod = (env?: object[]) => ({
    containers: [{ name: 'a', ...(env && { env }) }],
    imagePullSecrets: [{ name: 'own' }],
  })
  const layer = [
    workload('Deployment', 'operator', { spec: { template: { spec: pod([{ name: 'A', value: 'b' }]) } } }),
    workload('StatefulSet', 'store', { spec: { template: { spec: pod() } } }),
    workload('DaemonSet', 'agent', { spec: { template: { spec: pod() } } }),
  ]
  const podsOf = (manifest: ReturnType<typeof moduleManifest>) =>
    moduleObjects(manifest, { layer, pullSecret: 'pull' }).map(
      ({ spec }) => (spec as { template: { spec: object } }).template.spec,
    )
  const imagePullSecrets = [{ name: 'own' }, { name: 'pull' }]
  const variable = { name: 'SKR_IMG_PULL_SECRET', value: 'pull' }
  const told = { containers: [{ name: 'a', env: [{ name: 'A', value: 'b' }, variable] }], imagePullSecrets }
  const managed = moduleManifest({ spec: { manager } })
  t.strictSame(podsOf(managed), [told, { ...pod(), imagePullSecrets }, pod()])
  t.strictSame(podsOf(moduleManifest()), [
    told,
    { containers: [{ name: 'a', env: [variable] }], imagePullSecrets },
    pod(),
  ])
  const twice = [
    workload('Deployment', 'operator', { spec: { template: { spec: pod([variable]) } } }),
    ...layer.slice(1),
  ]
  t.strictSame(variableTwice(twice, managed), ['Deployment kyma-system/operator'])
  t.strictSame(variableTwice(layer, managed), [])
})

t.test('KY-230 whose a definition is that is there already', async t => {
  const manifest = moduleManifest()
  const { namespace, name } = manifest.metadata
  const apiVersion = 'apiextensions.k8s.io/v1'
  const definition = (annotations: Record<string, string>, ...managedFields: object[]): KubeObject => ({
    apiVersion,
    kind: 'CustomResourceDefinition',
    metadata: { name: 'certificates.cert-manager.io', annotations, managedFields },
  })
  const by = (manager: string, subresource?: string) => ({ manager, ...(subresource && { subresource }) })
  const noted = (text: string) => ({ [kymaNames.annotations.ownedBy]: text })
  const applier = kymaNames.fieldManagers.moduleObjects
  const shop = ['shop/web']
  const says = (fault: string) => `CustomResourceDefinition certificates.cert-manager.io ${fault}`
  const rows: [what: string, live: KubeObject, objects: string[], fault: string | undefined][] = [
    ['applied by hand', definition({}, by('kubectl-client-side-apply'), by('kubectl-patch')), [], undefined],
    ['by hand, and used', definition({}, by('kubectl')), shop, says('already exists and is in use: shop/web')],
    ['only its status is a program’s', definition({}, by('kubectl'), by('kube-apiserver', 'status')), [], undefined],
    ['edited by hand', definition({}, by('kubectl-edit')), [], undefined],
    ['in a browser', definition({}, by('Mozilla')), [], undefined],
    ['by Terraform', definition({}, by('Terraform')), [], says('already exists and is maintained by Terraform')],
    ['by a program', definition({}, by('helm')), [], says('already exists and is maintained by helm')],
    ['by both', definition({}, by('kubectl'), by('flux')), [], says('already exists and is maintained by flux')],
    [
      'a name that begins alike',
      definition({}, by('kubectls')),
      [],
      says('already exists and is maintained by kubectls'),
    ],
    ['ours, and used', definition(noted(`${namespace}/${name}`), by('cainjector')), shop, undefined],
    ['of another Manifest', definition(noted(`${namespace}/other`), by('cainjector')), shop, undefined],
    ['applied for a module before', definition({}, by(applier), by('cainjector')), shop, undefined],
  ]
  for (const [what, live, objects, fault] of rows) t.equal(definitionsFault([{ live, objects }]), fault, what)
  const helms = { live: definition({}, by('helm')), objects: [] }
  t.equal(
    definitionsFault([{ live: definition(noted('kcp-system/b')), objects: shop }, helms]),
    says('already exists and is maintained by helm'),
    'one of several is enough',
  )

  const layer = [definition({}), workload('Deployment', 'a', {})]
  const synced = [
    { group: 'x', version: 'v1', kind: 'CustomResourceDefinition', namespace: '', name: layer[0]?.metadata.name ?? '' },
  ]
  t.strictSame(newDefinitions(layer, manifest), layer.slice(0, 1))
  t.strictSame(newDefinitions(layer, moduleManifest({ status: { state: 'Ready', synced } })), [])
})

t.test('KY-244 annotations of the engine by which what has to stay would go, or a module would never rest', async t => {
  const annotated = (kind: string, key: string, value: string | null): KubeObject => ({
    ...workload(kind, 'a', {}),
    metadata: { name: 'a', annotations: { [`${engineName}/${key}`]: value as string } },
  })
  t.equal(objectsFault([annotated('Namespace', 'update-policy', null)]), undefined, 'the engine says what is wrong')
  const rows: [kind: string, key: string, value: string, isUnfit: boolean][] = [
    ['Job', 'purge-order', '2', true],
    ['Job', 'delete-hook', 'pre-delete', true],
    ['Namespace', 'update-policy', 'recreate', true],
    ['CustomResourceDefinition', 'update-policy', 'Recreate', true],
    ['Job', 'update-policy', 'recreate', false],
    ['Namespace', 'update-policy', 'replace', false],
    ['Job', 'apply-order', '2', false],
  ]
  for (const [kind, key, value, isUnfit] of rows) {
    const text = `${kind} a must not have the annotation ${engineName}/${key}`
    t.equal(objectsFault([workload('Job', 'b', {}), annotated(kind, key, value)]), isUnfit ? text : undefined)
  }
})

t.test('the default object comes last and goes first; what its operator needs goes last', async t => {
  const resource = { apiVersion: 'example.com/v1', kind: 'Sample', metadata: { name: 'sample' } }
  const layer = ['Deployment', 'Service', 'ConfigMap'].map(kind => workload(kind, 'a', {}))
  const ordersOf = (spec: Partial<ReturnType<typeof moduleManifest>['spec']>) =>
    moduleObjects(moduleManifest({ spec }), { layer }).map(({ metadata }) =>
      ['apply-order', 'delete-order', 'reconcile-policy'].map(key => metadata.annotations?.[`${engineName}/${key}`]),
    )
  const ofLayer = [
    [undefined, '1', undefined],
    [undefined, undefined, undefined],
    [undefined, undefined, undefined],
  ]
  t.strictSame(ordersOf({ resource }), [...ofLayer, ['1', '-1', 'once']])
  t.strictSame(ordersOf({ resource, customResourcePolicy: 'Ignore' }), ofLayer)
})

t.test('when a Manifest is called again though nothing happens', async t => {
  const requeue = { requeueReady: 300, requeueWarning: 31, requeueBusy: 5, requeueError: 30 }
  const after = (state: 'Ready' | 'Error' | 'Warning' | 'Processing' | 'Deleting', sinceSeconds: number) => {
    const next = nextFor({ state, sinceSeconds, requeue, needs: 'time', operation: 'what is done' })
    return next.is === 'settled' ? next.againSeconds : next.is === 'waiting' && next.seconds
  }
  t.strictSame([after('Ready', 0), after('Warning', 90)], [300, 31])
  t.strictSame([after('Processing', 0), after('Deleting', 59), after('Processing', 60)], [5, 5, 30])
  t.strictSame([after('Error', 0), after('Error', 12), after('Error', 500)], [5, 12, 30])
})

t.test('KY-210 namespaces that others live in stay, and what a module needs to clean up goes last', async t => {
  const defaultKey = 'example.com/Fig/a/default'
  const item = (group: string, kind: string, name: string, namespace = '') =>
    itemsOf([{ group, version: 'v1', kind, namespace, name }]).map(one =>
      asRemoved(one, { syncNamespace: 'sync', defaultKey, inhabited: new Set() }),
    )
  for (const name of ['sync', 'kyma-system', 'kcp-system', 'default', 'kube-system', 'kube-public'])
    matches(t, item('', 'Namespace', name), [{ deletePolicy: 'Orphan' }], name)
  for (const [group, kind, name] of [
    ['', 'Namespace', 'istio-system'],
    ['', 'Namespace', 'kyma-system-2'],
    ['', 'ConfigMap', 'kyma-system'],
    ['example.com', 'Namespace', 'kyma-system'],
  ] as const)
    matches(t, item(group, kind, name), [{ deletePolicy: 'Delete' }], `${kind}.${group} ${name}`)
  matches(t, item('apps', 'Deployment', 'operator', 'a'), [{ deleteOrder: 1 }])
  matches(t, item('', 'ConfigMap', 'settings', 'a'), [{ deleteOrder: 0 }])
  matches(t, item('example.com', 'Fig', 'default', 'a'), [{ deleteOrder: -1 }])
})

t.test('KY-245 only where others keep all that custom objects need, these may stay when the module goes', async t => {
  const items = itemsOf([
    { group: '', version: 'v1', kind: 'ConfigMap', namespace: 'a', name: 'settings' },
    { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition', namespace: '', name: 'figs' },
    { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'a', name: 'operator' },
    { group: '', version: 'v1', kind: 'Namespace', namespace: '', name: 'kyma-system' },
  ]).map(item => asRemoved(item, { syncNamespace: 'sync', defaultKey: undefined, inhabited: new Set() }))
  const [settings = '', definition = '', operator = '', place = ''] = items.map(itemKey)
  const keptOf = (there: readonly string[], kept: readonly string[]) =>
    isGroundKept(items, {
      observed: { live: new Map(there.map(key => [key, moduleManifest()])) },
      shared: new Map(kept.map(key => [key, []])),
    })
  const all = [settings, definition, operator, place]
  t.equal(keptOf(all, [definition, operator]), true)
  t.equal(keptOf(all, all), true)
  t.equal(keptOf(all, [settings, definition]), false, 'its operator would go')
  t.equal(keptOf([settings, definition], [definition]), true, 'which is gone already')
  t.equal(keptOf([settings], [settings]), false, 'nobody says who keeps the definition')
})

t.test('KY-211 only a Manifest that looks after its objects keeps one from another', async t => {
  const one = moduleManifest()
  const other = (metadata: object = {}): Manifest => moduleManifest({ metadata: { name: 'other', ...metadata } })
  const { annotations, labels } = kymaNames
  const operation = 'orphaned manifest detected: Kyma a does not exist'
  const rows: [what: string, other: Manifest, isLiving: boolean][] = [
    ['another', other(), true],
    ['itself', one, false],
    ['one that goes', other({ deletionTimestamp: 'x' }), false],
    ['not ours', other({ labels: { [labels.managedBy]: 'x' } }), false],
    ['unmanaged', other({ annotations: { [annotations.isUnmanaged]: 'true' } }), false],
    ['an orphan', { ...other(), status: { state: 'Error', lastOperation: { operation } } } as Manifest, false],
  ]
  for (const [what, manifest, is] of rows) t.equal(isLiving(manifest, one), is, what)
})

t.test('KY-251 however many names are in a runtime, Manifests are listed of those Kymas alone that exist', async t => {
  const copies = Array.from({ length: 500 }, (_, n) =>
    kyma({
      metadata: { namespace: `place-${n}`, annotations: { [kymaNames.annotations.ownedBy]: `kcp-system/kyma-${n}` } },
    }),
  )
  const lists: (string | undefined)[] = []
  const list = async ({ kind, labelSelector }: ListQuery): Promise<KubeObject[]> => {
    lists.push(labelSelector)
    return kind === 'Kyma' ? [kyma({ metadata: { name: 'kyma-7' } })] : []
  }
  const manifest = moduleManifest({ metadata: { labels: { [kymaNames.labels.kymaName]: 'own' } } })
  const runtime = { list: async () => copies }
  const reads = sharingReads({ list, get: async () => undefined }, { reads: new KeyedReads(), place: 'local' })
  await neighboursOf({ manifest, client: runtime, context: { reads } } as unknown as Looking)
  t.strictSame(lists, [undefined, `${kymaNames.labels.kymaName} in (kyma-7,own)`])
})

t.test('KY-266 two Manifests have the same module only in one Kyma, and if both name one', async t => {
  const { labels } = kymaNames
  const of = (kymaName: string, moduleName?: string): Manifest =>
    moduleManifest({ metadata: { labels: { [labels.kymaName]: kymaName, [labels.moduleName]: moduleName ?? null } } })
  t.equal(isSameModule(of('a', 'm'), of('a', 'm')), true)
  for (const [other, one] of [
    [of('b', 'm'), of('a', 'm')],
    [of('a', 'n'), of('a', 'm')],
    [of('a'), of('a')],
  ] as const)
    t.equal(isSameModule(other, one), false)
})

t.test(
  'KY-262 a Manifest may drop what it lists while it has a layer that is neither installed nor refused',
  async t => {
    const { annotations, labels } = kymaNames
    const of = (installed: string, metadata: object = {}): Manifest =>
      moduleManifest({
        metadata: { generation: 2, annotations: { [annotations.syncOciRef]: installed }, ...metadata },
        spec: { install: { source: { ref: 'new' } } },
      })
    const refused = (observedGeneration: number) => ({
      ...of('old'),
      status: { state: 'Error', conditions: [{ type: 'Resources', status: 'False', observedGeneration }] },
    })
    const rows: [what: string, unknown, isIt: boolean][] = [
      ['installed', of('new'), false],
      ['another one is', of('old'), true],
      ['left alone', of('old', { labels: { [labels.skipReconciliation]: 'true' } }), false],
      ['refused', refused(2), false],
      ['the one before was refused', refused(1), true],
    ]
    for (const [what, manifest, is] of rows) t.equal(isChanging(manifest as Manifest), is, what)
  },
)

t.test('KY-321 KY-322 a call for a Manifest is counted by its reason, and shown if it takes a minute', async t => {
  const noon = new Date('2026-11-23T12:00:00Z')
  const note = { ref: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'a', name: 'b' }, message: 'its words' }
  const nothing = { items: [], ready: true, hasChanged: false, errors: [], next: settled }
  const quiet: DependentsStatus = { ...nothing, unready: [], failed: [], redundant: [], blocked: [] }
  const error = { message: 'no', isConflict: false, isRetriable: true, ref: note.ref }
  const going = moduleManifest({ metadata: { deletionTimestamp: noon.toISOString() } })
  const installed = {
    is: 'installed',
    firstPods: [],
    podTroubles: [],
    dependents: { observed: nothingObserved },
  } as unknown as Found
  const failed = (fault: Partial<Fault>): Found => ({ is: 'failed', fault: { text: 'no', needs: 'time', ...fault } })
  const counted = (found: Found, dependents: Partial<DependentsStatus> = {}, manifest = moduleManifest()): string => {
    const world = { manifest, requeue: defaultValues(manifestSettings), began: noon, found }
    const { reason, type } = sayingOf({ world, now: noon, dependents: { ...quiet, ...dependents } }).requeue
    return `${reason} ${type}`
  }
  t.equal(counted(installed), 'manifest_reconcile_finished intended')
  t.equal(counted(installed, { unready: [note] }), 'manifest_reconcile_finished intended')
  t.equal(counted(installed, { errors: [error] }), 'manifest_sync_resources unexpected')
  t.equal(counted(installed, { redundant: [note] }), 'manifest_prune_diff_not_finished intended')
  t.equal(counted(installed, {}, going), 'manifest_prune_diff_not_finished intended')
  t.equal(counted(installed, { blocked: [note] }, going), 'manifest_pre_delete_enqueue_required intended')
  t.equal(counted(failed({})), 'manifest_client_init unexpected')
  t.equal(counted(failed({ isOfLayer: true })), 'manifest_render_resources unexpected')
  t.equal(counted(failed({ requeue: 'manifest_orphaned' })), 'manifest_orphaned unexpected')

  const plan = { steps: [], status: {}, events: [], next: settled }
  const shown = (found: Found, seconds: number, results: readonly StepResult[] = []) => {
    const world = { manifest: moduleManifest(), requeue: defaultValues(manifestSettings), began: noon, found }
    const later = new Date(noon.getTime() + seconds * 1_000)
    const { measured = [] } = report(world, plan, results, later)
    return measured.map(({ metric: _, labels = {}, ...change }) => ({ ...Object.values(labels), ...change }))
  }
  const name = 'default-id-telemetry-1'
  const count = { 0: 'manifest_client_init', 1: 'unexpected', add: 1 }
  t.strictSame(shown(failed({}), 59), [count, { 0: name, forget: true }])
  t.strictSame(shown(failed({}), 60), [count, { 0: name, set: 60 }])
  t.strictSame(shown({ is: 'inOrder' }, 1), [{ 0: name, forget: true }])
  const { manifest } = { manifest: moduleManifest() }
  const world = { manifest, requeue: defaultValues(manifestSettings), began: noon, found: installed }
  const step: Step = { do: 'patch', target: manifest, merge: {} }
  const ofOwn = report(world, plan, [{ step, changed: true }], noon).measured?.[0]
  t.strictSame(ofOwn?.labels, { requeue_reason: 'manifest_add_finalizer', requeue_type: 'intended' })
  const end = { ...world, manifest: going }
  const last = report(end, plan, [{ step: { ...step, target: going }, changed: true }], noon).measured?.[0]
  t.strictSame(last?.labels, { requeue_reason: 'manifest_reconcile_finished', requeue_type: 'intended' })
})

t.test('RE-108 all requests of the calls for one runtime get a connection before their time is up', async t => {
  const places = readLandscape('serverless.yml').functions.manifest?.concurrency ?? Number.NaN
  const answerSeconds = 0.3
  const callsForRuntime = places / 2
  const seconds = ((callsForRuntime * requestsInFlight) / fleetConnections) * answerSeconds
  t.ok(seconds < remoteAnswerSeconds, `the last answer comes after ${seconds} s`)
  t.equal(definition.requestsInFlight, requestsInFlight, 'reads and writes have the same limit')
})
