// Components that are deleted with their namespace, in which everything goes at once: rights, Secrets and dependents.
import t, { type Test } from 'tap'
import type { ComponentSpec } from '../../../shared/api/component.ts'
import { isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'
import { encodedTexts } from '../../../shared/core/objects/secret-text.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { altered } from '../../harness/clients/altered-client.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { type ComponentGround, componentGround, placesWith } from '../../harness/component/component-ground.ts'
import { matches } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'
import { keptLog } from '../../shared/relay/silent-log.ts'

const places = placesWith({})
const group = 'rbac.authorization.k8s.io'
const held = { metadata: { finalizers: ['example.com/held'] } }

const configMap = (name: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...more },
  data: { a: '1' },
})

const manifests = (...objects: KubeObject[]): Partial<ComponentSpec> => ({ source: { manifests: objects } })

/** An account that may do all with ConfigMaps, by a RoleBinding that a test takes away. */
const account = async (ground: ComponentGround, name: string): Promise<void> => {
  const { namespace } = ground
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }]
  await ground.put({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } })
  await ground.put({ apiVersion: `${group}/v1`, kind: 'Role', metadata: { name }, rules })
  await ground.put({
    apiVersion: `${group}/v1`,
    kind: 'RoleBinding',
    metadata: { name },
    roleRef: { apiGroup: group, kind: 'Role', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  })
}

const withoutRights = ({ client, namespace }: ComponentGround, name: string) =>
  client.delete({ apiVersion: `${group}/v1`, kind: 'RoleBinding', namespace, name }, {})

const namespaceGoes = async ({ client, namespace }: ComponentGround): Promise<void> => {
  const ref = { apiVersion: 'v1', kind: 'Namespace', namespace: '', name: namespace }
  await client.delete(ref, {})
  await eventually('the namespace is being deleted', async () => {
    const found = await client.get(ref)
    return found !== undefined && isDeleting(found)
  })
}

/** Something that the namespace waits for, so that it is still there when the test looks. */
const holdNamespace = (ground: ComponentGround) => ground.put(configMap('holds', held.metadata))

const letGo = async ({ client, namespace }: ComponentGround, name: string): Promise<void> => {
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name }
  await client.patch(ref, { type: 'merge', body: { metadata: { finalizers: null } } }, { fieldManager: 'person' })
}

const begun = async (t: Test, name: string, spec: Partial<ComponentSpec>): Promise<ComponentGround> => {
  const ground = await componentGround(t)
  await holdNamespace(ground)
  await account(ground, 'deployer')
  await ground.create(name, spec)
  await eventually('the account counts', async () => (await ground.settled(name, places)).state === 'Ready')
  return ground
}

t.test('CO-120 rights went before the Component: what its account no longer may see there counts as gone', async t => {
  const spec = { ...manifests(configMap('pear-a'), configMap('pear-b')), serviceAccountName: 'deployer' }
  const ground = await begun(t, 'pear', spec)
  await ground.remove('pear')
  await withoutRights(ground, 'deployer')
  await eventually('the account may not', async () => {
    const { message } = await ground.settled('pear', places)
    return /deployer" cannot/.test(message)
  })
  t.ok(await ground.read('pear'), 'held as long as the namespace stays')
  await namespaceGoes(ground)
  await ground.settle('pear', places)
  t.equal(await ground.read('pear'), undefined)
  await letGo(ground, 'holds')
})

t.test('CO-120 a dependent in another namespace that it may no longer see holds it, and is named', async t => {
  const other = await anyCluster(t)
  const { namespace: elsewhere } = other
  const ground = await componentGround(t)
  if (!ground.cluster.isReal)
    await ground.client.create(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: elsewhere } },
      { fieldManager: 'person' },
    )
  await holdNamespace(ground)
  await account(ground, 'deployer')
  const far = { apiVersion: `${group}/v1`, kind: 'RoleBinding', metadata: { name: 'far', namespace: elsewhere } }
  const subjects = [{ kind: 'ServiceAccount', name: 'deployer', namespace: ground.namespace }]
  await ground.client.create(
    { ...far, roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'cluster-admin' }, subjects },
    { fieldManager: 'person' },
  )
  await ground.create('fig', {
    ...manifests(configMap('fig-a'), configMap('fig-far', { namespace: elsewhere })),
    serviceAccountName: 'deployer',
  })
  await eventually('it is ready', async () => (await ground.settled('fig', places)).state === 'Ready')
  await ground.remove('fig')
  await withoutRights(ground, 'deployer')
  await ground.client.delete({ ...far, namespace: elsewhere, name: 'far' }, {})
  await namespaceGoes(ground)
  await eventually('it is refused', async () => {
    const { message } = await ground.settled('fig', places)
    return message.includes(`cannot get resource "configmaps" in API group "" in the namespace "${elsewhere}"`)
  })
  t.ok(await ground.read('fig'))
  await ground.change('fig', { metadata: { finalizers: null } })
  await letGo(ground, 'holds')
})

t.test('CO-121 the Secret with the kubeconfig went before the Component: the log tells what stays behind', async t => {
  const remote = await anyCluster(t, { remote: true })
  const { log, lines } = keptLog()
  const here = { ...places, log, kubeConfigHosts: { component: ['127.0.0.1'] } }
  const ground = await componentGround(t)
  await holdNamespace(ground)
  await ground.put({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'far' },
    data: encodedTexts({ value: remote.kubeconfig }),
  } as KubeObject)
  const spec = {
    ...manifests(configMap('elm-a')),
    kubeConfig: { secretRef: { name: 'far' } },
  }
  await ground.create('elm', spec)
  matches(t, await ground.settled('elm', here), { state: 'Ready' })
  await ground.remove('elm')
  await ground.client.delete({ apiVersion: 'v1', kind: 'Secret', namespace: ground.namespace, name: 'far' }, {})
  matches(t, await ground.settled('elm', here), { message: /does not exist/ })
  t.ok(await ground.read('elm'), 'held as long as the namespace stays: the Secret may come back')
  await namespaceGoes(ground)
  await ground.settle('elm', here)
  t.equal(await ground.read('elm'), undefined)
  const message =
    'the Secret with the kubeconfig was deleted before the Component, together with the namespace: 1 dependents remain in the target cluster'
  matches(
    t,
    lines.filter(line => line.message === message),
    [{ level: 'warn', fields: { reason: 'DependentsLeftBehind' } }],
  )
  t.equal((await remote.api.call('GET', `/api/v1/namespaces/${ground.namespace}/configmaps/elm-a`)).status, 200)
  await letGo(ground, 'holds')
})

t.test(
  'CO-122 CO-135 its chart is held and renders delete hooks: those in the ending namespace do not run',
  async t => {
    const ground = await componentGround(t)
    const { client, namespace } = ground
    const elsewhere = `${namespace}-elsewhere`
    const home = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: elsewhere } }
    await client.create(home, { fieldManager: 'person' })
    t.teardown(() => client.delete({ ...home, namespace: '', name: elsewhere }, {}))
    const annotations = { 'component.core.espalier.dev/delete-hook': 'pre-delete,post-delete' }
    const hook = (name: string, more: object = {}) => JSON.stringify(configMap(name, { annotations, ...more }))
    const chart = {
      'Chart.yaml': 'apiVersion: v2\nname: oak\nversion: 1.0.0\n',
      'templates__a.yaml': JSON.stringify(configMap('oak-a')),
      'templates__hook.yaml': hook('oak-hook'),
      'templates__far.yaml': hook('oak-far', { namespace: elsewhere }),
    }
    await ground.put({ ...configMap('chart', held.metadata), data: chart })
    await ground.create('oak', { source: { helm: { configMapRef: { name: 'chart' } } } })
    matches(t, await ground.settled('oak', places), { state: 'Ready' })
    await ground.remove('oak')
    await namespaceGoes(ground)
    const { log, lines } = keptLog()
    await ground.settle('oak', { ...places, log })
    t.equal(await ground.read('oak'), undefined)
    const message = `delete hooks did not run: namespace ${namespace} is being deleted`
    matches(
      t,
      lines.filter(line => line.message === message),
      [{ level: 'warn', fields: { reason: 'DeleteHooksSkipped' } }],
    )
    const events = await client.list({ apiVersion: 'v1', kind: 'Event', namespace: elsewhere })
    const reasons = events.map(({ reason }) => reason)
    t.ok(reasons.includes('Created') && reasons.includes('Deleted'), 'a hook elsewhere has run')
    await letGo(ground, 'chart')
  },
)

t.test('CO-136 the deletion is held up after its hooks were rendered: its namespace is read once', async t => {
  const ground = await componentGround(t)
  const { client, namespace } = ground
  await account(ground, 'deployer')
  const chartOnly = [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['chart'], verbs: ['get'] }]
  await ground.put({ apiVersion: `${group}/v1`, kind: 'Role', metadata: { name: 'reader' }, rules: chartOnly })
  await ground.put({
    apiVersion: `${group}/v1`,
    kind: 'RoleBinding',
    metadata: { name: 'reader' },
    roleRef: { apiGroup: group, kind: 'Role', name: 'reader' },
    subjects: [{ kind: 'ServiceAccount', name: 'deployer', namespace }],
  })
  const annotations = { 'component.core.espalier.dev/delete-hook': 'pre-delete' }
  const chart = {
    'Chart.yaml': 'apiVersion: v2\nname: fir\nversion: 1.0.0\n',
    'templates__hook.yaml': JSON.stringify(configMap('fir-hook', { annotations })),
    'templates__a.yaml': JSON.stringify(configMap('fir-a')),
  }
  await ground.put({ ...configMap('chart'), data: chart })
  const spec = { source: { helm: { configMapRef: { name: 'chart' } } }, serviceAccountName: 'deployer' }
  await ground.create('fir', spec)
  await eventually('the account counts', async () => (await ground.settled('fir', places)).state === 'Ready')
  await withoutRights(ground, 'deployer')
  await ground.remove('fir')
  let reads = 0
  const counting = altered(client, inner => ({
    get: (ref, options) => {
      if (ref.kind === 'Namespace' && ref.name === namespace) reads++
      return inner.get(ref, options)
    },
  }))
  await eventually('it is refused', async () => {
    reads = 0
    await ground.settle('fir', { ...places, clusters: clusters({ local: counting }) })
    return (await ground.read('fir'))?.status?.state === 'Error'
  })
  t.equal(reads, 1)
  await ground.change('fir', { metadata: { finalizers: null } })
})

const hooked = (...names: string[]): Partial<ComponentSpec> => ({
  source: {
    manifests: names.map(name =>
      configMap(name, { annotations: { 'component.core.espalier.dev/delete-hook': 'post-delete' } }),
    ),
  },
})

const eventsOf = async ({ client, namespace }: ComponentGround, name: string) =>
  (await client.list({ apiVersion: 'v1', kind: 'Event', namespace })).filter(
    ({ involvedObject }) => (involvedObject as { name?: string }).name === name,
  )

t.test(
  'CO-134 CO-135 its deploymentNamespace is being deleted: hooks there do not run, and an Event says so',
  async t => {
    const ground = await componentGround(t)
    const { client, namespace } = ground
    const elsewhere = `${namespace}-target`
    await client.create(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: elsewhere } },
      { fieldManager: 'person' },
    )
    const keeps = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'keeps', namespace: elsewhere, ...held.metadata },
    }
    await client.create(keeps, { fieldManager: 'person' })
    await ground.create('yew', { ...hooked('yew-hook'), deploymentNamespace: elsewhere })
    matches(t, await ground.settled('yew', places), { state: 'Ready' })
    await ground.remove('yew')
    await namespaceGoes({ ...ground, namespace: elsewhere })
    await ground.settle('yew', places)
    t.equal(await ground.read('yew'), undefined)
    const message = `delete hooks did not run: namespace ${elsewhere} is being deleted`
    const skipped = (await eventsOf(ground, 'yew')).filter(({ reason }) => reason === 'DeleteHooksSkipped')
    matches(t, skipped, [{ type: 'Warning', message }])
    await letGo({ ...ground, namespace: elsewhere }, 'keeps')
  },
)

t.test(
  'CO-135 an Event says that delete hooks did not run because of the annotation, and none where there are none',
  async t => {
    const ground = await componentGround(t)
    const skip = { metadata: { annotations: { 'component.core.espalier.dev/skip-delete-hooks': 'true' } } }
    for (const [name, spec] of Object.entries({ ash: hooked('ash-hook'), bay: manifests(configMap('bay-a')) })) {
      await ground.create(name, spec)
      matches(t, await ground.settled(name, places), { state: 'Ready' })
      await ground.change(name, skip)
      await ground.remove(name)
      await ground.settle(name, places)
      t.equal(await ground.read(name), undefined)
    }
    const message = 'delete hooks did not run: the annotation component.core.espalier.dev/skip-delete-hooks is set'
    const skipped = async (name: string) =>
      (await eventsOf(ground, name)).filter(({ reason }) => reason === 'DeleteHooksSkipped').map(event => event.message)
    t.strictSame([await skipped('ash'), await skipped('bay')], [[message], []])
  },
)
