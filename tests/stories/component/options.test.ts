// One definition that sets every option, and the engine embedded in a function with a flow of its own.
import t from 'tap'
import type { Item } from '../../../shared/component/item.ts'
import { itemsOf, storedItems } from '../../../shared/component/item.ts'
import type { ComponentPlan } from '../../../shared/component/plan.ts'
import type { World } from '../../../shared/component/world.ts'
import { type Plan, settled } from '../../../shared/core/decisions/plan.ts'
import { isDeleting, type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import type { SettingValues } from '../../../shared/core/settings/setting.ts'
import type { ComponentOptions } from '../../../shared/runtime/component/definition/definition.ts'
import { dependents } from '../../../shared/runtime/component.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { crd, established, later, orchards } from '../../harness/component/orchards.ts'
import { matches } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'

const ground = await orchards(t)
const { client, configMap, plantOf, namespace, name: P } = ground
const writer = { fieldManager: 'somebody' }
const group = `all-${P}`

type Keys = { group?: string; version: string; kind: string; namespace?: string; name: string }

const everything: ComponentOptions = {
  fieldOwner: 'gardener',
  finalizer: 'example.com/gardener',
  createMissingNamespaces: false,
  adoptionPolicy: 'Always',
  updatePolicy: 'SsaMerge',
  deletePolicy: 'Delete',
  reapplyInterval: '5m',
  defaultServiceAccount: 'gardener',
  impersonationScope: 'ownNamespace',
  references: [{ path: 'spec.loaded', load: value => value, digest: String }],
  parameters: component => ({ objects: (component.spec as { things: KubeObject[] }).things }),
  hasPureGenerator: true,
  notes: ({ componentNamespace }) => ({ place: componentNamespace, nothing: undefined }),
  statusPath: 'status.engine',
  reclaimedManagers: ['kubectl'],
  kubeConfigHosts: ['127.0.0.1'],
  kubeConfigLookups: true,
  requestsInFlight: 2,
  readiness: (object, builtIn) =>
    object.metadata.annotations?.sour === 'yes' ? { status: 'InProgress', message: 'it is sour' } : builtIn,
  inventory: {
    read: component => (component.status as { synced?: Keys[] } | undefined)?.synced ?? [],
    write: entries => ({
      synced: (entries as Keys[]).map(({ group, version, kind, namespace, name }) => ({
        group,
        version,
        kind,
        namespace,
        name,
      })),
    }),
  },
  applyPriorities: { ConfigMap: 5 },
  deletePriorities: { ConfigMap: -5 },
  crdFinalizers: false,
  inventoryFields: 'all',
  deletionBlockers: [{ group, kind: 'Fruit' }],
  whileBlocked: 'repair',
  configuration: { requeue: () => ({ requeueInterval: '3m' }) },
}

const account = async (): Promise<void> => {
  const metadata = { name: 'gardener', namespace }
  await client.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata }, writer)
  await client.create(
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: P },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', ...metadata }],
    },
    writer,
  )
  t.teardown(() =>
    client.delete(
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', namespace: '', name: P },
      {},
    ),
  )
}

type Told = {
  status?: { place?: string; synced?: Keys[]; engine?: { state?: string; inventory?: unknown; revision?: number } }
}
const told = async (name: string) => ((await ground.read(name)) as Told | undefined)?.status

t.test('CO-102 a definition has every option: each of them has its effect', async t => {
  await account()
  const definition = ground.define({ options: everything })
  const sour = (name: string, taste: string) => ({
    ...configMap(name),
    metadata: { name, namespace, annotations: { sour: taste } },
  })
  const fruits = crd(group, 'Fruit', 'fruits')
  await established(client, fruits)
  const things = (taste: string) => [sour('all-a', taste), configMap('all-b', { b: '1' }), fruits]
  await ground.plant('all', { things: things('yes'), loaded: 'x' })
  matches(t, await ground.settle(definition, 'all'), { outcome: 'waiting' })
  matches(t, await told('all'), { engine: { state: 'Processing', revision: 1 } }, 'readiness, statusPath')
  await ground.change('all', { spec: { things: things('no') } })
  matches(t, await ground.settle(definition, 'all'), { outcome: 'settled', requeueAfterSeconds: Number })
  const status = await told('all')
  matches(t, status, { engine: { state: 'Ready', revision: 2 } })
  t.equal(status?.engine?.inventory, undefined, 'the inventory adapter keeps it')
  t.equal(status?.place, namespace, 'notes')
  t.strictSame(status?.synced?.map(({ name }) => name).toSorted(), ['all-a', 'all-b', fruits.metadata.name])
  t.strictSame((await ground.read('all'))?.metadata.finalizers, ['example.com/gardener'])
  const adopted = await client.get(refOf(fruits))
  t.ok(adopted?.metadata.labels?.[`${P}/owner-id`])
  t.notOk(adopted?.metadata.finalizers?.includes('example.com/gardener'), 'crdFinalizers')
  const fields = (await client.get(refOf(configMap('all-b')), { withManagedFields: true }))?.metadata.managedFields as {
    manager: string
  }[]
  t.strictSame([...new Set(fields.map(({ manager }) => manager))], ['gardener'], 'fieldOwner')

  const before = await ground.read('all')
  await ground.settle(definition, 'all', later(30))
  t.strictSame(await ground.read('all'), before, 'idle though only keys are kept')
  await client.delete(refOf(configMap('all-b')), {})
  await ground.settle(definition, 'all', later(60))
  t.ok(await ground.live(configMap('all-b')))
  await client.patch(refOf(configMap('all-b')), { type: 'merge', body: { data: { b: '2', more: 'x' } } }, writer)
  await ground.settle(definition, 'all', later(120))
  t.strictSame((await ground.live(configMap('all-b')))?.data, { b: '1', more: 'x' }, 'drift, seen in managedFields')

  await client.create({ apiVersion: `${group}/v1`, kind: 'Fruit', metadata: { name: 'pear', namespace } }, writer)
  await ground.remove('all')
  await ground.settle(definition, 'all', later(180))
  matches(
    t,
    (await told('all'))?.engine,
    { state: 'Deleting', conditions: [{ reason: 'DeletionBlocked' }] },
    'deletionBlockers',
  )
  await client.delete(refOf(configMap('all-b')), {})
  await ground.settle(definition, 'all', later(120))
  t.ok(await ground.live(configMap('all-b')), 'whileBlocked: repair')
  await client.delete({ apiVersion: `${group}/v1`, kind: 'Fruit', namespace, name: 'pear' }, {})
  const isGone = async () => {
    await ground.settle(definition, 'all', later(300))
    return (await ground.read('all')) === undefined
  }
  await eventually('the component is gone', isGone)
  t.strictSame([await ground.live(configMap('all-b')), await client.get(refOf(fruits))], [undefined, undefined])
})

t.test('CO-102 an inventory of its own shape where the engine’s would be', async t => {
  const inventory: ComponentOptions['inventory'] = {
    read: component => (component.status as { inventory?: { entries: Keys[] } } | undefined)?.inventory?.entries ?? [],
    write: entries => ({
      inventory: {
        entries: (entries as Keys[]).map(({ version, kind, namespace, name }) => ({ version, kind, namespace, name })),
      },
    }),
  }
  const definition = ground.define({ options: { inventory } })
  const [kept, dropped] = [configMap('shaped-a'), configMap('shaped-b')]
  await ground.plant('shaped', { objects: [kept, dropped] })
  await ground.settle(definition, 'shaped')
  matches(t, (await ground.read('shaped'))?.status, {
    state: 'Ready',
    inventory: { entries: [{ name: 'shaped-a' }, { name: 'shaped-b' }] },
  })
  await ground.change('shaped', { spec: { objects: [kept] } })
  await ground.settle(definition, 'shaped')
  t.strictSame(await ground.lives([kept, dropped]), ['there', 'gone'])
  await ground.remove('shaped')
  await ground.gone(definition, 'shaped')
  t.strictSame(await ground.lives([kept]), ['gone'], 'nothing is left behind')
})

t.test('CO-102 priorities decide what is sent first', async t => {
  const sent: string[] = []
  const objects = [
    configMap('first'),
    plantOf('second'),
    { ...configMap('third'), kind: 'ServiceAccount', data: undefined },
  ]
  const watched = {
    ...ground.own,
    bound: () => watched,
    create: async (object: KubeObject, options: { fieldManager: string }) => {
      if (object.kind !== 'Event') sent.push(object.kind)
      return ground.own.create(object, options)
    },
  } as typeof ground.own
  const clusters = { of: async () => watched, bound: () => clusters }
  const order = async (name: string, options: Partial<ComponentOptions>) => {
    sent.length = 0
    await ground.plant(name, {
      objects: objects.map(object => ({ ...object, metadata: { name: `${name}-${object.metadata.name}`, namespace } })),
    })
    await ground.settle(ground.define({ options: { ...options, requestsInFlight: 1 } }), name, { clusters })
    return [...sent]
  }
  t.strictSame(
    await order('usual', {}),
    ['ConfigMap', 'Plant', 'ServiceAccount'].toSorted((a, b) => Number(b === 'ConfigMap') - Number(a === 'ConfigMap')),
  )
  t.equal((await order('other', { applyPriorities: { ConfigMap: 5 } })).at(-1), 'ConfigMap')
})

/** A function with a flow of its own: applies, and deletes in two runs with a check of its own between them. */
type Own = { object: KubeObject; world: World; isAllowed: boolean }
type OwnPlan = Plan & { inner: ComponentPlan }

const flow = (allow: () => boolean): ReconcileFunction<Own, SettingValues, object, OwnPlan> => {
  const engine = dependents({ name: P })
  const upTo = ({ object, isAllowed }: Own) => (isDeleting(object) && !isAllowed ? { upToDeleteOrder: 10 } : {})
  return {
    does: 'reconcile',
    name: 'flow',
    kind: { apiVersion: `${P}/v1`, kind: 'Orchard' },
    gather: async (object, context) => {
      const items: readonly Item[] = itemsOf((object.status as { mine?: unknown } | undefined)?.mine)
      const manifests = isDeleting(object) ? [] : (object.spec as { objects: KubeObject[] }).objects
      return {
        object,
        isAllowed: allow(),
        world: await engine.gather({ ...context, manifests, items, now: new Date() }, object),
      }
    },
    decide: (own, now) => {
      const inner = engine.plan(own.world, now, upTo(own))
      const isGone = isDeleting(own.object) && inner.ready && own.isAllowed
      const release = { do: 'removeFinalizer' as const, target: own.object, finalizer: 'example.com/flow' }
      return { inner, steps: isGone ? [release] : inner.steps, status: {}, events: [], next: settled }
    },
    report: (own, plan, results, now) => {
      if (plan.steps.some(step => step.do === 'removeFinalizer' && !step.on)) return { status: {} }
      const after = engine.afterSteps(own.world, { plan: plan.inner, results }, now, upTo(own))
      const status = { mine: storedItems(after.items), isReady: after.ready }
      return { status, next: after.ready ? { is: 'waiting', seconds: 60, for: 'a change' } : after.next }
    },
  }
}

t.test('CO-103 a function embeds the dependents and deletes in two runs', async t => {
  let isAllowed = false
  const definition = flow(() => isAllowed) as ReconcileFunction
  const early = {
    ...configMap('flow-early'),
    metadata: { name: 'flow-early', namespace, annotations: { [`${P}/delete-order`]: '5' } },
  }
  const late = {
    ...configMap('flow-late'),
    metadata: { name: 'flow-late', namespace, annotations: { [`${P}/delete-order`]: '10' } },
  }
  await ground.plant('flow', { objects: [late, early] }, { finalizers: ['example.com/flow'] })
  const writes: string[] = []
  const counted = ground.requests.length
  await ground.settle(definition, 'flow')
  writes.push(...ground.requests.slice(counted).flatMap(({ method, verb }) => (method === 'GET' ? [] : [verb])))
  matches(t, (await ground.read('flow'))?.status, {
    isReady: true,
    mine: [
      { name: 'flow-early', phase: 'Ready' },
      { name: 'flow-late', phase: 'Ready' },
    ],
  })
  t.strictSame(
    writes,
    ['replace status', 'create', 'create', 'replace status'],
    'keys first, then all, then one status',
  )
  await ground.remove('flow')
  await ground.settle(definition, 'flow')
  t.strictSame(
    [await ground.live(early), Boolean(await ground.live(late))],
    [undefined, true],
    'nothing of order 10 goes',
  )
  t.ok(await ground.read('flow'))
  isAllowed = true
  await ground.settle(definition, 'flow')
  t.strictSame([await ground.live(late), await ground.read('flow')], [undefined, undefined])
})
