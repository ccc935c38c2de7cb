// A Manifest from its creation to its end: what is installed, kept, replaced and removed.
import t from 'tap'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind } from '../../../shared/api/kyma.ts'
import type { Measurement } from '../../../shared/core/decisions/measurement.ts'
import { mapOrEmpty, sameJson } from '../../../shared/core/json/json.ts'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { altered } from '../../harness/clients/altered-client.ts'
import { notedWrites } from '../../harness/clients/noted-writes.ts'
import { clientTo } from '../../harness/clusters/cluster-client.ts'
import { generatedObjects } from '../../harness/clusters/generated-manifests.ts'
import { serviceAccountKubeconfig } from '../../harness/clusters/service-account.ts'
import { served } from '../../harness/clusters/test-definitions.ts'
import { established, later } from '../../harness/component/orchards.ts'
import { layerObjects, yamlOf } from '../../harness/kyma/layer-objects.ts'
import { manifestGround, syncedNames } from '../../harness/kyma/manifest-ground.ts'
import { settledManifests } from '../../harness/kyma/settled-manifests.ts'
import { matches } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'
import { namespaceOf } from '../../make/objects/namespaces.ts'
import { settingsWith } from '../../make/settings.ts'

const ground = await manifestGround(t)
const { client, namespace } = ground
const { configMap, crdOf, customOf, live } = layerObjects(ground)
const { stateOf, settledUntil, untilReady, untilGone } = settledManifests(ground)
const somebody = { fieldManager: 'somebody' }
const { labels, annotations, finalizers, fieldManagers } = kymaNames

await ground.createKyma('here')

t.test('KY-110 a good Manifest installs its layer and says so', async t => {
  const [one, two] = [configMap('one', { a: '1' }), configMap('two')]
  const digest = ground.layer(yamlOf(one, two))
  await ground.create('good', digest)
  matches(t, await ground.settle('good'), { outcome: 'settled', requeueAfterSeconds: 300 })
  const good = await ground.read('good')
  matches(t, good, {
    metadata: {
      annotations: { [annotations.syncOciRef]: digest },
      finalizers: [finalizers.manifest, finalizers.labelRemoval],
    },
    status: {
      state: 'Ready',
      lastOperation: { operation: 'resources are ready' },
      conditions: [
        { type: 'Resources', status: 'True', reason: 'ResourcesAvailable', observedGeneration: 1 },
        { type: 'Installation', status: 'True', reason: 'Ready', observedGeneration: 1 },
      ],
    },
  })
  t.strictSame(syncedNames(good), ['ConfigMap one', 'ConfigMap two'])
  const installed = await client.get(refOf(one), { withManagedFields: true })
  matches(t, installed, {
    data: { a: '1' },
    metadata: {
      labels: {
        [labels.managedBy]: 'kyma',
        [labels.watchedBy]: 'kyma',
        'app.kubernetes.io/component': 'good',
        'app.kubernetes.io/part-of': 'Kyma',
      },
      annotations: { [annotations.ownedBy]: `${namespace}/good`, [annotations.disclaimer]: String },
      managedFields: [{ manager: fieldManagers.moduleObjects }],
    },
  })
})

/** What Events about a Manifest say. */
const eventsAbout = async (name: string): Promise<string[]> => {
  const { metadata } = (await ground.read(name)) as KubeObject
  const events = await client.list({ apiVersion: 'v1', kind: 'Event', namespace: metadata.namespace ?? '' })
  return events.flatMap(({ involvedObject, message }) =>
    mapOrEmpty(involvedObject).uid === metadata.uid ? [String(message)] : [],
  )
}

const repairs = () => {
  const repaired: unknown[] = []
  const measure = (measurements: readonly Measurement[]): void => {
    const drift = measurements.filter(({ metric }) => metric === 'espalier_drift_corrected_total')
    repaired.push(...drift.map(({ labels }) => labels?.kind))
  }
  return { repaired, measure }
}

t.test(
  'KY-121 SEE-18 SEE-57 nothing is applied when nothing changed; what somebody changes or deletes is repaired',
  async t => {
    const [one, two] = [configMap('kept-one', { a: '1' }), configMap('kept-two', { b: '1' })]
    await ground.create('kept', ground.layer(yamlOf(one, two)))
    await ground.settle('kept')
    const before = [await ground.read('kept'), await live(one), await live(two)]
    const counted = ground.requests.length
    await ground.settle('kept', later(3_600))
    const asked = ground.requests.slice(counted).filter(({ method }) => method !== 'GET')
    t.strictSame(asked, [], 'no write')
    t.strictSame([await ground.read('kept'), await live(one), await live(two)], before)
    await client.patch(refOf(one), { type: 'merge', body: { data: { a: '2', more: 'x' } } }, somebody)
    const { repaired, measure } = repairs()
    await ground.settle('kept', { ...later(3_600), measure })
    t.strictSame((await live(one))?.data, { a: '1', more: 'x' })
    t.strictSame(repaired, ['ConfigMap'])
    matches(
      t,
      (await eventsAbout('kept')).filter(text => text.includes('Corrected')),
      [/^ConfigMap \S+kept-one: Corrected data\.a: 2 -> 1; written by somebody at \d{4}-/],
    )
    await client.delete(refOf(one), {})
    await ground.settle('kept', { ...later(7_200), measure })
    t.strictSame(repaired, ['ConfigMap'], 'no status says that it was there')
    t.strictSame((await live(one))?.data, { a: '1' })
    t.strictSame(await live(two), before[2], 'other objects are not written')
  },
)

t.test('a deleted Manifest takes its objects along', async t => {
  const one = configMap('gone-one')
  await ground.create('gone', ground.layer(yamlOf(one)))
  await ground.settle('gone')
  await ground.remove('gone')
  await ground.settle('gone')
  t.strictSame([await live(one), await ground.read('gone')], [undefined, undefined])
})

/** v2 is stored, v1 is served too. */
const inTwoVersions = (definition: KubeObject): KubeObject => {
  const {
    versions: [v1],
    ...spec
  } = definition.spec as { versions: [object] }
  return {
    ...definition,
    spec: {
      ...spec,
      versions: [
        { ...v1, storage: false },
        { ...v1, name: 'v2' },
      ],
    },
  }
}

const workloadOf = (kind: string, name: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name, namespace },
  spec: {
    selector: { matchLabels: { app: name } },
    ...(kind === 'StatefulSet' && { serviceName: name }),
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'a', image: 'a:1' }] } },
  },
})

t.test('KY-117 definitions, their objects, roles and workloads in any order come each in its turn', async t => {
  const definition = crdOf('apples', 'Apple')
  const apple = customOf('Apple', 'apples', 'red')
  const rbac = 'rbac.authorization.k8s.io'
  const roleRef = { apiGroup: rbac, kind: 'Role', name: 'reader' }
  const role = {
    apiVersion: `${rbac}/v1`,
    kind: 'Role',
    metadata: { name: 'reader', namespace },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
  }
  const binding = { ...role, kind: 'RoleBinding', rules: undefined, roleRef, subjects: [] }
  await ground.create('orchard', ground.layer(yamlOf(apple, binding, configMap('fruit'), role, definition)))
  const { clusters, writes } = notedWrites(ground.everywhere)
  await ground.call('orchard', { clusters })
  const created = () =>
    writes.splice(0).flatMap(write => (/^(create|apply) /.test(write) ? write.split(' ')[1] : []) ?? [])
  const first = created()
  t.strictSame(
    [first.slice(0, 2).sort(), first.slice(2).sort()],
    [
      ['CustomResourceDefinition', 'Role'],
      ['ConfigMap', 'RoleBinding'],
    ],
  )
  await served(client, apple)
  matches(t, await ground.call('orchard', { clusters }), { outcome: 'settled' }, 'in the pass that finds it served')
  t.strictSame(created(), ['Apple'])
  await untilReady('orchard')
  await ground.remove('orchard')
  await untilGone('orchard')
  t.strictSame([await live(apple), await live(definition)], [undefined, undefined])
})

t.test('SEE-03 a plan says which objects of the layer follow, and which are deleted; nothing is written', async t => {
  const definition = crdOf('quinces', 'Quince')
  const quince = customOf('Quince', 'quinces', 'first')
  const [kept, dropped] = [configMap('planned-kept'), configMap('planned-dropped')]
  await ground.create('planned', ground.layer(yamlOf(quince, kept, dropped, definition)))
  const before = await ground.read('planned')
  const first = await ground.plan('planned')
  t.strictSame(first.steps.flatMap(({ does, object }) => (does === 'create' ? [object] : [])).sort(), [
    `ConfigMap ${namespace}/planned-dropped`,
    `ConfigMap ${namespace}/planned-kept`,
    `CustomResourceDefinition ${definition.metadata.name}`,
  ])
  const apiVersion = quince.apiVersion
  t.strictSame(first.later, [{ apiVersion, does: 'apply', object: `Quince ${namespace}/first` }])
  t.strictSame([await ground.read('planned'), await live(kept)], [before, undefined])
  await settledUntil('planned', async () => (await live(quince)) !== undefined)
  await untilReady('planned')
  t.strictSame((await ground.plan('planned')).later, [])
  const source = {
    repo: ground.registry.host,
    name: 'x',
    ref: ground.layer(yamlOf(quince, kept, definition)),
    type: 'oci-ref',
  }
  await ground.change('planned', { spec: { install: { source } } })
  const less = await ground.plan('planned')
  const object = `ConfigMap ${namespace}/planned-dropped`
  t.strictSame(
    [less.steps.filter(({ does }) => does === 'delete').map(step => step.object), less.later],
    [[object], []],
  )
  t.ok(await live(dropped))
})

t.test('KY-333 the Manifest says why the Pods of a Deployment do not start', async t => {
  await ground.create('stuck', ground.layer(yamlOf(workloadOf('Deployment', 'stuck'))))
  await settledUntil('stuck', async () => (await live(workloadOf('Deployment', 'stuck'))) !== undefined)
  const conditions = [
    { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated' },
    { type: 'Available', status: 'False', lastTransitionTime: '2026-03-01T08:00:00Z' },
  ]
  const waiting = { reason: 'ImagePullBackOff', message: 'no such image' }
  const containerStatuses = [{ name: 'a', ready: false, state: { waiting } }]
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'stuck-x', namespace }, status: { containerStatuses } }
  const seen = (object: KubeObject): KubeObject =>
    object.kind === 'Deployment' ? { ...object, status: { conditions } } : object
  let asked = 0
  const own = altered(client, real => ({
    get: async (...args) => (await real.get(...args).then(found => found && [seen(found)]))?.[0],
    list: async query => {
      if (query.kind !== 'Pod') return (await real.list(query)).map(seen)
      asked++
      return [pod]
    },
  }))
  await ground.call('stuck', { clusters: clusters({ local: own }), ...later(20) })
  matches(t, (await ground.read('stuck'))?.status, {
    state: 'Processing',
    lastOperation: {
      operation:
        /^waiting for resources to become ready; Deployment .*\/stuck: Pod stuck-x: .*ImagePullBackOff.*no such image/,
    },
  })
  t.equal(asked, 1)
  await ground.remove('stuck')
  await untilGone('stuck')
})

t.test('KY-132 what the operator of a module needs goes last, kind by kind', async t => {
  const rbac = 'rbac.authorization.k8s.io/v1'
  const one = (apiVersion: string, kind: string, fields: object = {}, isNamespaced = true): KubeObject => ({
    apiVersion,
    kind,
    metadata: { name: `last-${namespace}`, ...(isNamespaced && { namespace }) },
    ...fields,
  })
  const roleRef = (kind: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name: 'view' })
  const objects = [
    ...['Deployment', 'StatefulSet', 'DaemonSet'].map(kind => workloadOf(kind, 'last')),
    one('v1', 'Service', { spec: { ports: [{ port: 80 }] } }),
    one(rbac, 'ClusterRoleBinding', { roleRef: roleRef('ClusterRole'), subjects: [] }, false),
    one(rbac, 'RoleBinding', { roleRef: roleRef('Role'), subjects: [] }),
    one(rbac, 'ClusterRole', { rules: [] }, false),
    one(rbac, 'Role', { rules: [] }),
    one('v1', 'ServiceAccount'),
    one('v1', 'Namespace', {}, false),
    crdOf('pecans', 'Pecan'),
    configMap('last-settings'),
  ]
  await ground.create('last', ground.layer(yamlOf(...objects)))
  await settledUntil('last', async () => (await Promise.all(objects.map(live))).every(object => object))
  await ground.remove('last')
  const { clusters, writes } = notedWrites(ground.everywhere)
  await eventually('the Manifest is gone', async () => {
    await ground.settle('last', { clusters })
    return (await ground.read('last')) === undefined
  })
  const kinds = [
    ...['ConfigMap', 'CustomResourceDefinition', 'Namespace', 'ServiceAccount'],
    ...['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding', 'Service'],
    ...['Deployment', 'StatefulSet', 'DaemonSet'],
  ]
  t.strictSame(
    writes.map(write => write.split(' ').slice(0, 2).join(' ')),
    kinds.map(kind => `delete ${kind}`),
  )
})

t.test('objects without a namespace are in default where no kubeconfig says otherwise', async t => {
  const { namespace: _, ...metadata } = configMap(`homeless-${namespace}`).metadata
  const clusterRole = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    rules: [],
    metadata: { name: `homeless-${namespace}`, namespace },
  }
  await ground.create('homeless', ground.layer(yamlOf({ ...configMap(''), metadata }, clusterRole)))
  matches(t, await ground.settle('homeless'), { outcome: 'settled' })
  t.ok(await live({ ...configMap(''), metadata: { ...metadata, namespace: 'default' } }))
  t.strictSame((await ground.read('homeless'))?.status?.synced?.map(one => one.namespace).toSorted(), ['', 'default'])
  await ground.remove('homeless')
  await ground.settle('homeless')
})

t.test('KY-123 another layer: new objects come, dropped ones go, then the annotation tells it', async t => {
  const [kept, dropped, added] = [
    configMap('layer-kept', { a: '1' }),
    configMap('layer-dropped'),
    configMap('layer-added'),
  ]
  await ground.create('layers', ground.layer(yamlOf(kept, dropped)))
  await ground.settle('layers')
  const held = { metadata: { finalizers: ['example.com/held'] } }
  await client.patch(refOf(dropped), { type: 'merge', body: held }, somebody)
  const ref = ground.layer(yamlOf(configMap('layer-kept', { a: '2' }), added))
  const { spec } = (await ground.read('layers')) ?? {}
  await ground.change('layers', { spec: { install: { source: { ...spec?.install.source, ref } } } })
  matches(t, await ground.settle('layers'), { outcome: 'waiting' })
  t.strictSame(await stateOf('layers'), { state: 'Warning', operation: 'deletion is not yet finished' })
  t.not((await ground.read('layers'))?.metadata.annotations?.[annotations.syncOciRef], ref)
  t.strictSame([(await live(kept))?.data, Boolean(await live(added))], [{ a: '2' }, true])
  await client.patch(refOf(dropped), { type: 'merge', body: { metadata: { finalizers: null } } }, somebody)
  await ground.settle('layers')
  t.strictSame(await stateOf('layers'), { state: 'Ready', operation: 'resources are ready' })
  t.equal((await ground.read('layers'))?.metadata.annotations?.[annotations.syncOciRef], ref)
  t.equal(await live(dropped), undefined)
})

t.test('KY-127 one object is refused: it is named, the others are applied, and it will be retried', async t => {
  const refused = { ...configMap('refused-bad'), data: { 'not a key!': 'x' } }
  await ground.create('refused', ground.layer(yamlOf(configMap('refused-good'), refused)))
  matches(t, await ground.settle('refused'), { outcome: 'waiting', requeueAfterSeconds: 5 })
  const said = await stateOf('refused')
  t.equal(said.state, 'Error')
  matches(t, said.operation, /ConfigMap .*\/refused-bad: .*not a key!/)
  t.ok(await live(configMap('refused-good')))
  matches(t, (await ground.read('refused'))?.status?.conditions, [
    { type: 'Resources', status: 'True' },
    { type: 'Installation', status: 'False', message: 'installation is not ready' },
  ])
})

t.test(
  'KY-125 KY-126 KY-259 the default object is made once, is the user’s then, and its state is the module’s',
  async t => {
    const definition = crdOf('pears', 'Pear')
    const pear = customOf('Pear', 'pears', 'green', { spec: { size: 1 } })
    await ground.create('pears', ground.layer(yamlOf(definition)), { spec: { resource: pear } })
    await untilReady('pears')
    matches(t, await ground.read('pears'), {
      metadata: { finalizers: [finalizers.manifest, finalizers.labelRemoval, finalizers.defaultResource] },
      status: {
        conditions: [
          { type: 'Resources' },
          { type: 'Installation' },
          { type: 'ModuleCR', status: 'True', message: 'module CR was created' },
        ],
      },
    })
    t.strictSame(syncedNames(await ground.read('pears')), [`CustomResourceDefinition ${definition.metadata.name}`])
    matches(t, await client.get(refOf(pear), { withManagedFields: true }), {
      metadata: { managedFields: [{ manager: fieldManagers.defaultResource }] },
    })
    await client.patch(refOf(pear), { type: 'merge', body: { spec: { size: 2 } } }, somebody)
    await ground.settle('pears', later(3_600))
    t.strictSame((await live(pear))?.spec, { size: 2 }, 'edited')

    const says = (status: object) =>
      client.patch(refOf(pear), { type: 'merge', body: { status } }, { ...somebody, subresource: 'status' })
    await says({ state: 'Error', conditions: [{ message: 'no soil' }] })
    matches(t, await ground.settle('pears'), { outcome: 'waiting' })
    t.strictSame(await stateOf('pears'), { state: 'Error', operation: `Pear ${namespace}/green: no soil` })
    await says({ state: 'Warning', conditions: null })
    await ground.settle('pears')
    t.strictSame(await stateOf('pears'), { state: 'Warning', operation: `Pear ${namespace}/green` })
    await says({ state: 'Warning', conditions: [{ message: 'wet '.repeat(100_000) }] })
    await ground.settle('pears')
    const { lastOperation } = (await ground.read('pears'))?.status ?? {}
    matches(t, lastOperation, { operation: /^Pear .*: wet wet [wet ]*…$/ })
    t.equal(lastOperation?.operation?.length, 1_025)
    await ground.settle('pears', later(60))
    t.strictSame((await ground.read('pears'))?.status?.lastOperation, lastOperation, 'which is no other text')
    await says({ state: 'Processing', conditions: null })
    await ground.settle('pears')
    t.equal((await stateOf('pears')).state, 'Ready')

    await client.delete(refOf(pear), {})
    await ground.settle('pears', later(7_200))
    t.equal(await live(pear), undefined, 'deleted by the user')
    t.equal((await stateOf('pears')).state, 'Ready')
    await ground.remove('pears')
    await untilGone('pears')
  },
)

t.test('KY-316 custom objects, the default one too, come though the operator of the module is not ready', async t => {
  const [plum, own] = [customOf('Plum', 'plums', 'default'), customOf('Plum', 'plums', 'of-the-layer')]
  const { apiVersion, kind, metadata, spec } = workloadOf('Deployment', 'plums') as Workload
  const template = { ...spec.template, spec: { ...spec.template.spec, nodeSelector: { no: 'such-node' } } }
  const operator = { apiVersion, kind, metadata, spec: { ...spec, template } }
  await ground.create('plums', ground.layer(yamlOf(own, operator, crdOf('plums', 'Plum'))), {
    spec: { resource: plum },
  })
  await settledUntil('plums', async () => (await live(plum)) !== undefined && (await live(own)) !== undefined)
  await ground.settle('plums')
  matches(t, await ground.read('plums'), {
    status: {
      state: 'Processing',
      conditions: [
        { type: 'Resources' },
        { type: 'Installation', status: 'False' },
        { type: 'ModuleCR', status: 'True' },
      ],
    },
  })
  await ground.remove('plums')
  await untilGone('plums')
})

type Workload = KubeObject & { spec: { template: { spec: object } } }

t.test('KY-125 with the policy Ignore the default object is never made', async t => {
  const definition = crdOf('figs', 'Fig')
  const fig = customOf('Fig', 'figs', 'sweet')
  const spec = { resource: fig, customResourcePolicy: 'Ignore' as const }
  await ground.create('figs', ground.layer(yamlOf(definition)), { spec })
  await untilReady('figs')
  t.equal(await live(fig), undefined)
  t.strictSame((await ground.read('figs'))?.metadata.finalizers, [finalizers.manifest, finalizers.labelRemoval])
  t.strictSame(
    (await ground.read('figs'))?.status?.conditions?.map(({ type }) => type),
    ['Resources', 'Installation'],
  )
  await client.create(fig, somebody)
  await ground.remove('figs')
  await ground.settle('figs')
  t.strictSame(await stateOf('figs'), { state: 'Deleting', operation: 'waiting for module crs deletion' }, 'any blocks')
  await client.delete(refOf(fig), {})
  await untilGone('figs')
})

t.test(
  'KY-314 while the default object goes the module can be upgraded, and what the new version drops goes',
  async t => {
    const nut = customOf('Pip', 'pips', 'default')
    const [settings, dropped] = [configMap('pips-settings', { version: '1' }), configMap('pips-dropped')]
    const layerOf = (...objects: KubeObject[]) => ground.layer(yamlOf(crdOf('pips', 'Pip'), ...objects))
    const held = (finalizers: string[] | null) =>
      client.patch(refOf(nut), { type: 'merge', body: { metadata: { finalizers } } }, somebody)
    await ground.create('pips', layerOf(settings, dropped), { spec: { resource: nut } })
    await untilReady('pips')
    await held(['example.com/held'])
    await ground.remove('pips')
    await ground.settle('pips')
    t.ok((await live(nut))?.metadata.deletionTimestamp)
    const better = { ...settings, data: { version: '2' } }
    const added = configMap('pips-added')
    const { source } = (await ground.read('pips'))?.spec.install ?? {}
    await ground.change('pips', { spec: { install: { source: { ...source, ref: layerOf(better, added) } } } })
    await ground.settle('pips', later(60))
    t.strictSame((await live(settings))?.data, { version: '2' })
    t.ok(await live(added))
    t.equal(await live(dropped), undefined)
    matches(t, await stateOf('pips'), { state: 'Deleting' })
    t.ok((await live(nut))?.metadata.deletionTimestamp, 'it is not made again')
    await held(null)
    await untilGone('pips')
    t.strictSame([await live(settings), await live(added), await live(nut)], [undefined, undefined, undefined])
  },
)

t.test(
  'KY-131 KY-132 KY-133 KY-314 a module goes when its users have removed their objects, and waits for others',
  async t => {
    const definition = inTwoVersions(crdOf('nuts', 'Nut'))
    const [nut, own] = [customOf('Nut', 'nuts', 'default'), customOf('Nut', 'nuts', 'own')]
    const settings = configMap('nuts-settings', { a: '1' })
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'nuts', namespace } }
    await ground.create('nuts', ground.layer(yamlOf(settings, account, definition)), { spec: { resource: nut } })
    await untilReady('nuts')
    await client.create(own, somebody)
    const made = await ground.read('nuts')
    await ground.change('nuts', {
      metadata: { finalizers: [...(made?.metadata.finalizers ?? []), 'example.com/other'] },
    })
    await ground.remove('nuts')
    await client.delete(refOf(settings), {})
    matches(t, await ground.settle('nuts', later(60)), { outcome: 'waiting' })
    t.strictSame(await stateOf('nuts'), { state: 'Deleting', operation: 'waiting for module crs deletion' })
    t.strictSame((await live(settings))?.data, { a: '1' }, 'repaired meanwhile')

    const elsewhere = { ...customOf('Nut', 'nuts', 'own'), metadata: { name: 'own', namespace: 'default' } }
    await client.create({ ...elsewhere, apiVersion: nut.apiVersion.replace('/v1', '/v2') }, somebody)
    await client.delete(refOf(own), {})
    matches(t, await ground.settle('nuts', later(60)), { outcome: 'waiting' })
    t.strictSame(
      [await stateOf('nuts'), (await live(nut))?.metadata.deletionTimestamp],
      [{ state: 'Deleting', operation: 'waiting for module crs deletion' }, undefined],
      'in any namespace and version',
    )
    await client.delete(refOf(elsewhere), {})
    await client.patch(
      refOf(nut),
      { type: 'merge', body: { metadata: { finalizers: ['example.com/held'] } } },
      somebody,
    )
    await ground.settle('nuts')
    t.ok((await live(nut))?.metadata.deletionTimestamp, 'first the default object')
    t.ok(await live(settings), 'and nothing else as long as it is there')
    await client.delete(refOf(settings), {})
    await ground.settle('nuts', later(60))
    t.strictSame((await live(settings))?.data, { a: '1' }, 'KY-314 it is repaired')
    await client.patch(refOf(nut), { type: 'merge', body: { metadata: { finalizers: null } } }, somebody)
    await client.patch(
      refOf(settings),
      { type: 'merge', body: { metadata: { finalizers: ['example.com/held'] } } },
      somebody,
    )
    await ground.settle('nuts')
    t.ok((await live(settings))?.metadata.deletionTimestamp)
    t.ok(await live(account), 'what the operator needs goes last')
    await client.patch(refOf(settings), { type: 'merge', body: { metadata: { finalizers: null } } }, somebody)
    await settledUntil('nuts', async () => (await stateOf('nuts')).operation?.startsWith('waiting as') ?? false)
    t.strictSame(await stateOf('nuts'), {
      state: 'Deleting',
      operation: 'waiting as other finalizers are present: [example.com/other]',
    })
    t.strictSame((await ground.read('nuts'))?.metadata.finalizers, ['example.com/other'])
    t.strictSame([await live(account), await live(definition)], [undefined, undefined])
    await ground.change('nuts', { metadata: { finalizers: null } })
    t.equal(await ground.read('nuts'), undefined)
  },
)

t.test('KY-128 a Manifest that its Kyma does not name says so, and does nothing until it is named again', async t => {
  const one = configMap('orphan-one')
  await ground.create('orphan', ground.layer(yamlOf(one)), { isNamed: false })
  matches(t, await ground.settle('orphan', later(240)), { outcome: 'settled' }, 'too young to tell')
  await client.delete(refOf(one), {})
  matches(t, await ground.settle('orphan', later(301)), { outcome: 'waiting' })
  matches(t, await stateOf('orphan'), { state: 'Error', operation: /^orphaned manifest detected: / })
  t.strictSame([await live(one), syncedNames(await ground.read('orphan'))], [undefined, ['ConfigMap orphan-one']])
  await ground.create('mandatory', ground.layer(yamlOf(configMap('mandatory-one'))), {
    isNamed: false,
    labels: { [labels.mandatoryModule]: 'true' },
  })
  matches(t, await ground.settle('mandatory', later(3_600)), { outcome: 'settled' })
  await ground.nameIn('here', 'orphan')
  matches(t, await ground.settle('orphan', later(600)), { outcome: 'settled' })
  t.equal((await stateOf('orphan')).state, 'Ready')
  t.ok(await live(one))
})

t.test('KY-128 a Manifest whose Kyma is gone says so, and nothing of it is deleted', async t => {
  const one = configMap('orphan-left')
  await ground.createKyma('gone')
  await ground.create('left', ground.layer(yamlOf(one)), { kyma: 'gone' })
  await ground.settle('left')
  await client.delete({ ...kymaKind, namespace, name: 'gone' }, {})
  matches(t, await ground.settle('left', later(301)), { outcome: 'waiting' })
  t.strictSame(await stateOf('left'), {
    state: 'Error',
    operation: 'orphaned manifest detected: Kyma gone does not exist',
  })
  t.ok(await live(one))
  t.strictSame(syncedNames(await ground.read('left')), ['ConfigMap orphan-left'])
  await ground.createKyma('gone')
  await ground.nameIn('gone', 'left')
  matches(t, await ground.settle('left', later(302)), { outcome: 'settled' })
  t.equal((await stateOf('left')).state, 'Ready')
})

t.test('KY-120 a manager that has the variable already makes the Manifest Error, and nothing is applied', async t => {
  const env = [{ name: 'SKR_IMG_PULL_SECRET', value: 'own' }]
  const operator = workloadOf('Deployment', 'variable')
  const { spec } = operator as unknown as { spec: { template: object } }
  const containers = [{ name: 'a', image: 'a:1', env }]
  const twice = { ...operator, spec: { ...spec, template: { ...spec.template, spec: { containers } } } }
  await ground.create('variable', ground.layer(yamlOf(twice, configMap('beside-variable'))))
  const settingsOf = settingsWith({ pullSecret: 'pull' })
  matches(t, await ground.settle('variable', { settingsOf }), { outcome: 'waiting' })
  t.strictSame(await stateOf('variable'), {
    state: 'Error',
    operation: `the variable SKR_IMG_PULL_SECRET is already set in Deployment ${namespace}/variable`,
  })
  t.strictSame([await live(twice), await live(configMap('beside-variable'))], [undefined, undefined])
  t.strictSame((await ground.read('variable'))?.status?.synced, undefined)
})

t.test('KY-129 a Manifest labelled to be skipped is left alone, unless its Kyma goes', async t => {
  const one = configMap('skipped-one')
  await ground.createKyma('leaving')
  await ground.create('skipped', ground.layer(yamlOf(one)), { kyma: 'leaving' })
  await ground.settle('skipped')
  await ground.change('skipped', { metadata: { labels: { [labels.skipReconciliation]: 'True' } } })
  await client.delete(refOf(one), {})
  await ground.remove('skipped')
  const before = await ground.read('skipped')
  const counted = ground.requests.length
  matches(t, await ground.settle('skipped', later(60)), { outcome: 'settled' })
  t.strictSame(
    ground.requests.slice(counted).map(({ verb }) => verb),
    ['get', 'get'],
    'the Manifest and its Kyma',
  )
  t.strictSame(await ground.read('skipped'), before)
  const leaving = await client.get({ ...kymaKind, namespace, name: 'leaving' })
  await client.patch(
    refOf(leaving as KubeObject),
    { type: 'merge', body: { metadata: { finalizers: ['example.com/x'] } } },
    somebody,
  )
  await client.delete({ ...kymaKind, namespace, name: 'leaving' }, {})
  await ground.settle('skipped', later(60))
  t.equal(await ground.read('skipped'), undefined)
})

t.test('KY-130 a Manifest annotated as unmanaged goes, and its objects stay without our labels', async t => {
  const definition = crdOf('plums', 'Plum')
  const plum = customOf('Plum', 'plums', 'blue')
  const [one, missing] = [configMap('freed-one'), configMap('freed-missing')]
  await ground.create('freed', ground.layer(yamlOf(one, missing, definition)), { spec: { resource: plum } })
  await untilReady('freed')
  await client.delete(refOf(missing), {})
  await ground.change('freed', { metadata: { annotations: { [annotations.isUnmanaged]: 'true' } } })
  await ground.settle('freed')
  t.equal(await ground.read('freed'), undefined)
  t.equal(await live(missing), undefined)
  for (const object of [one, plum, definition]) {
    const { labels: left = {} } = (await live(object))?.metadata ?? {}
    const ours = [labels.managedBy, labels.watchedBy, 'manifest.operator.kyma-project.io/owner-id']
    t.strictSame(
      Object.keys(left).filter(label => ours.includes(label)),
      [],
      object.metadata.name,
    )
    t.ok(await live(object))
  }
  await client.delete(refOf(definition), {})
})

t.test('KY-188 a Manifest without the label managed-by is installed, one with another value is left alone', async t => {
  for (const [name, label] of [
    ['nobodys', null],
    ['others', 'somebody-else'],
  ] as const) {
    await ground.create(name, ground.layer(yamlOf(configMap(name))))
    await ground.change(name, { metadata: { labels: { [labels.managedBy]: label } } })
    const before = await ground.read(name)
    matches(t, await ground.settle(name), { outcome: 'settled' })
    const isInstalled = (await live(configMap(name))) !== undefined
    t.strictSame([isInstalled, sameJson(await ground.read(name), before)], [label === null, label !== null], name)
  }
})

t.test('KY-313 objects of a module that the Go operator applied hold nothing but what the layer has', async t => {
  const wanted = configMap('module-taken-over')
  for (const fieldManager of ['lifecycle-manager', 'declarative.kyma-project.io/applier'])
    await client.apply({ ...wanted, data: { [fieldManager.replace('/', '.')]: 'yes' } }, { fieldManager, force: true })
  await ground.create('taken-over', ground.layer(yamlOf(wanted)))
  matches(t, await ground.settle('taken-over'), { outcome: 'settled' })
  t.strictSame((await live(wanted))?.data ?? {}, {})
})

t.test('KY-187 KY-194 the settings of the installation are answered, and conditions tell the generation', async t => {
  const settingsOf = settingsWith({ requeueReady: 77, requeueWarning: 78, requeueBusy: 79, requeueError: 80 })
  await ground.create('again', ground.layer(yamlOf(configMap('again'))))
  matches(t, await ground.settle('again', { settingsOf }), { outcome: 'settled', requeueAfterSeconds: 77 })
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'never', namespace },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'never' } },
      template: {
        metadata: { labels: { app: 'never' } },
        spec: { nodeSelector: { no: 'such-node' }, containers: [{ name: 'a', image: 'a:1' }] },
      },
    },
  }
  const { spec } = (await ground.read('again')) ?? {}
  const ref = ground.layer(yamlOf(deployment))
  await ground.change('again', { spec: { install: { source: { ...spec?.install.source, ref } } } })
  matches(t, await ground.settle('again', { settingsOf }), { outcome: 'waiting', requeueAfterSeconds: 79 })
  const { state, conditions } = (await ground.read('again'))?.status ?? {}
  t.strictSame(
    [state, conditions?.map(({ observedGeneration }) => observedGeneration)],
    ['Processing', [2, 2]],
    'its Pods fit on no node',
  )
})

t.test('KY-125 a default object that is there already becomes the module’s and keeps its content', async t => {
  const definition = crdOf('limes', 'Lime')
  const lime = customOf('Lime', 'limes', 'sour', { spec: { size: 1 } })
  await client.create(definition, { fieldManager: 'kubectl-create' })
  await established(client, definition)
  await client.create({ ...lime, spec: { size: 2 } }, somebody)
  await ground.create('limes', ground.layer(yamlOf(definition)), { spec: { resource: lime } })
  await untilReady('limes')
  matches(t, await live(lime), { spec: { size: 2 }, metadata: { labels: { [labels.managedBy]: 'kyma' } } })
  await ground.remove('limes')
  await untilGone('limes')
  t.equal(await live(lime), undefined)
})

t.test('KY-324 a module in the own cluster waits for rights that an operator grants, and says which', async t => {
  const account = { namespace: 'espalier-system', name: 'manifest' }
  for (const object of [
    namespaceOf(account.namespace),
    ...generatedObjects('rbac', 'manifest.yaml'),
    ...rolesHere('espalier-manifest'),
  ])
    await client.apply(object, somebody)
  const kubeconfig = await serviceAccountKubeconfig(ground.cluster, account)
  const asManifest = { clusters: clusters({ local: clientTo(t, { kubeconfig }) }) }
  const object = configMap('granted')
  await ground.create('granted', ground.layer(yamlOf(object)))
  const says = () => ground.read('granted').then(found => found?.status?.lastOperation?.operation ?? '')
  // Roles count some moments after they were made.
  await eventually('the Manifest says something', async () => {
    await ground.settle('granted', asManifest)
    return (await says()) !== ''
  })
  matches(t, await ground.settle('granted', asManifest), {
    outcome: 'failed',
    requeueAfterSeconds: Number,
    reason: /^spec\.remote\.enabled of the Kyma is false, .* manifest\.ownCluster of the chart to true: .*forbidden/,
  })
  t.equal(await live(object), undefined)
  for (const object of generatedObjects('grants', 'manifest.yaml')) await client.apply(object, somebody)
  await eventually('the module is installed', async () => {
    await ground.settle('granted', asManifest)
    return (await ground.read('granted'))?.status?.state === 'Ready'
  })
  t.ok(await live(object))
})

/** Roles of the namespace `kcp-system`, in the namespace of this ground. */
const rolesHere = (name: string): KubeObject[] =>
  generatedObjects('namespaces', 'kcp-system.yaml')
    .filter(({ metadata }) => metadata.name === name)
    .map(object => ({ ...object, metadata: { ...object.metadata, namespace } }))
