// The sample policy for tenants on a real API server, and a Component of theirs called under the function's own generated
// account: nothing can be done or read through a Component that its service account may not.
import t from 'tap'
import { componentFunction as definition } from '../../functions/component/index.ts'
import { componentCrd } from '../../shared/api/component/crd.ts'
import type { ComponentSpec } from '../../shared/api/component.ts'
import type { Condition } from '../../shared/core/objects/condition.ts'
import { type KubeObject, refOf } from '../../shared/core/objects/object.ts'
import type { Client } from '../../shared/kube/client-types.ts'
import { clusters } from '../../shared/kube/clusters/clusters.ts'
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { reconcile } from '../../shared/runtime/reconcile.ts'
import { ownControlPlane } from '../harness/clusters/cluster.ts'
import { clientTo } from '../harness/clusters/cluster-client.ts'
import { generatedObjects } from '../harness/clusters/generated-manifests.ts'
import { serviceAccountKubeconfig } from '../harness/clusters/service-account.ts'
import { define } from '../harness/clusters/test-definitions.ts'
import { callOf } from '../harness/component/orchards.ts'
import { matches, rejects } from '../harness/matches.ts'
import { eventually } from '../harness/until.ts'
import { chartFiles, component, componentKind, configMap } from '../make/component/component.ts'
import { namespaceOf } from '../make/objects/namespaces.ts'

const home = 'espalier-system'
const namespace = 'team-a'
const writer = { fieldManager: 'person' }
const canary = 'c4n4ry-of-a-real-tenant'
const cluster = await ownControlPlane(t, { withControllers: true })
const people = clientTo(t, cluster)
const tina = people.bound({ impersonate: { user: 'tina', groups: ['team-a'] } })
const put = (object: KubeObject) => people.apply(object, { ...writer, force: true })

const group = 'rbac.authorization.k8s.io'
type Rule = { apiGroups: string[]; resources: string[]; verbs: string[]; resourceNames?: string[] }

const role = async (name: string, rules: readonly Rule[], subject: object): Promise<void> => {
  const metadata = { name, namespace }
  await put({ apiVersion: `${group}/v1`, kind: 'Role', metadata, rules })
  await put({
    apiVersion: `${group}/v1`,
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: group, kind: 'Role', name },
    subjects: [subject],
  })
}

const account = async (name: string, rules: readonly Rule[]): Promise<void> => {
  await put({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } })
  await role(name, rules, { kind: 'ServiceAccount', name, namespace })
}

const writes = (apiGroup: string, resource: string): Rule => ({
  apiGroups: [apiGroup],
  resources: [resource],
  verbs: ['get', 'list', 'create', 'update', 'patch', 'delete'],
})

const of = (name: string, spec: Partial<ComponentSpec> = {}): KubeObject => component({ name, namespace }, spec)

/** What the API server answers, of which nothing is stored; undefined where it takes it. */
const refusal = (client: Client, object: KubeObject): Promise<string | undefined> =>
  client.create(object, { ...writer, dryRun: true }).then(
    () => undefined,
    error => String(error.message),
  )

t.before(async () => {
  await define(people, componentCrd() as KubeObject)
  for (const object of generatedObjects('rbac', 'namespace.yaml')) await put(object)
  for (const object of generatedObjects('rbac', 'component.yaml')) await put(object)
  await put(namespaceOf(namespace))
  await account('deployer', [writes('', 'configmaps')])
  await account('powerful', [writes('', 'secrets')])
  const impersonates = {
    apiGroups: [''],
    resources: ['serviceaccounts'],
    resourceNames: ['deployer'],
    verbs: ['impersonate'],
  }
  await role('tenant', [writes('core.espalier.dev', 'components'), impersonates], {
    apiGroup: group,
    kind: 'User',
    name: 'tina',
  })
  for (const object of generatedObjects('samples', 'policies', 'components-of-tenants.yaml')) await put(object)
  // Policies and roles count some moments after they were made, and nothing tells when.
  await eventually('the policy counts', async () => (await refusal(tina, of('early')))?.includes('must name') === true)
  const fine = of('early', { serviceAccountName: 'deployer' })
  await eventually('the roles count', async () => (await refusal(tina, fine)) === undefined)
})

t.test('RE-32 the sample policy lets tenants have Components under their service account only', async t => {
  const named = { serviceAccountName: 'deployer' } as const
  const rows: [what: string, spec: Partial<ComponentSpec>, message: RegExp][] = [
    ['no account', {}, /spec\.serviceAccountName must name a service account/],
    ['an empty one', { serviceAccountName: '' }, /spec\.serviceAccountName must name a service account/],
    ['another one', { serviceAccountName: 'powerful' }, /you may not impersonate the service account powerful/],
    [
      'a user',
      { impersonationUser: 'admin' },
      /impersonationGroups are for administrators|serviceAccountName must name/,
    ],
    ['no groups', { ...named, impersonationGroups: [] }, /impersonationGroups are for administrators/],
    [
      'a kubeconfig',
      { ...named, kubeConfig: { secretRef: { name: 'far' } } },
      /spec\.kubeConfig is for administrators/,
    ],
    ['groups', { ...named, impersonationGroups: ['system:masters'] }, /impersonationGroups cannot be set together/],
  ]
  for (const [what, spec, message] of rows)
    matches(t, (await refusal(tina, of('refused', spec))) ?? 'taken', message, what)
  t.equal(await refusal(tina, of('taken', named)), undefined)
  t.equal(await refusal(people, of('taken')), undefined, 'an administrator may leave it out')
})

const change = (client: Client, object: KubeObject, body: object) =>
  client.patch(refOf(object), { type: 'merge', body }, writer)

t.test('RE-32 nor can one be changed into what the policy refuses, but all of theirs can be deleted', async t => {
  const mine = await tina.create(of('changing', { serviceAccountName: 'deployer' }), writer)
  await rejects(t, change(tina, mine, { spec: { serviceAccountName: null } }), /must name/)
  await rejects(t, change(tina, mine, { spec: { kubeConfig: { secretRef: { name: 'far' } } } }), /for administrators/)
  const theirs = await people.create(of('older'), writer)
  await rejects(t, change(tina, theirs, { spec: { suspend: true } }), /must name/)
  await t.resolves(change(tina, theirs, { metadata: { finalizers: ['example.com/held'] } }), 'what the function writes')
  await t.resolves(change(tina, theirs, { metadata: { finalizers: [] } }))
  await tina.delete(refOf(mine), {})
  await people.delete(refOf(theirs), {})
})

const far: Partial<ComponentSpec> = { serviceAccountName: 'deployer', kubeConfig: { secretRef: { name: 'far' } } }

t.test('CO-130 a tenant does not delete a Component of an administrator, on a real API server', async t => {
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: '00000000-0000-4000-8000-000000000000' }
  for (const [name, spec] of Object.entries({ bare: {}, empty: { serviceAccountName: '' }, far })) {
    const theirs = await people.create(of(name, spec), writer)
    await rejects(t, tina.delete(refOf(theirs), {}), /only administrators delete a Component without/, name)
    const owned = { metadata: { ownerReferences: [owner] } }
    await rejects(t, change(tina, theirs, owned), /only administrators change metadata\.ownerReferences/, name)
    await t.resolves(change(tina, theirs, { metadata: { labels: { seen: 'yes' } } }))
    await people.delete(refOf(theirs), {})
  }
  const mine = await tina.create(of('owned', { serviceAccountName: 'deployer' }), writer)
  await t.resolves(change(tina, mine, { metadata: { ownerReferences: [owner] } }))
  await tina.delete(refOf(mine), {})
})

t.test('CO-130 the namespace of a tenant ends, and the garbage collector deletes, on a real API server', async t => {
  const place = 'team-ends'
  await put(namespaceOf(place))
  const owner = await people.create(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owner', namespace: place } },
    writer,
  )
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: String(owner.metadata.uid) }]
  const owned = component({ name: 'owned', namespace: place })
  await people.create({ ...owned, metadata: { ...owned.metadata, ownerReferences } }, writer)
  await people.create(component({ name: 'bare', namespace: place }), writer)
  await people.delete(refOf(owner), {})
  await eventually('the owned one is gone', async () => (await people.get(refOf(owned))) === undefined)
  const home = refOf(namespaceOf(place))
  await people.delete(home, {})
  await eventually('the namespace is gone', async () => (await people.get(home)) === undefined)
  t.equal(await people.get({ ...componentKind, namespace: place, name: 'bare' }), undefined)
})

t.test('CO-131 a tenant changes no service account of a Component, on a real API server', async t => {
  const refused = /spec\.serviceAccountName of a Component that exists is changed by administrators only/
  const theirs = await people.create(of('unnamed'), writer)
  const named = await people.create(of('named', { serviceAccountName: 'powerful' }), writer)
  const remote = await people.create(of('remote', far), writer)
  const toDeployer = { spec: { serviceAccountName: 'deployer' } }
  for (const object of [theirs, named]) await rejects(t, change(tina, object, toDeployer), refused)
  for (const none of [null, ''])
    await rejects(t, change(tina, named, { spec: { serviceAccountName: none } }), /must name a service account/)
  await rejects(t, change(tina, remote, { spec: { kubeConfig: null } }), /spec\.kubeConfig is for administrators/)
  for (const object of [theirs, named]) await t.resolves(change(people, object, toDeployer))
  await t.resolves(change(tina, theirs, { spec: { suspend: true } }), 'with the account as it is')
  for (const object of [theirs, named, remote]) await people.delete(refOf(object), {})
})

t.test('RE-30 a Component reads what it names as its account, on a real API server', async t => {
  const kubeconfig = await serviceAccountKubeconfig(cluster, { namespace: home, name: 'component' })
  const own = clientTo(t, { kubeconfig })
  const settled = async (name: string): Promise<string> => {
    const outcome = await reconcile(
      definition as ReconcileFunction,
      { namespace, name },
      { ...callOf(clusters({ local: own })), home },
    )
    if (outcome.requeueAfterSeconds === 0) return settled(name)
    const status = (await people.get({ ...componentKind, namespace, name }))?.status ?? {}
    const ready = (status as { conditions: Condition[] }).conditions.find(({ type }) => type === 'Ready')
    return `${ready?.reason}: ${ready?.message}`
  }
  const files = Object.entries(chartFiles).map(([path, text]) => [path.replaceAll('/', '__'), text])
  await put({ ...configMap('chart', Object.fromEntries(files)), metadata: { name: 'chart', namespace } })
  const data = { 'values.yaml': Buffer.from(`greeting: ${canary}\n`).toString('base64') }
  await put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'values', namespace }, data })
  const spec: Partial<ComponentSpec> = {
    source: { helm: { configMapRef: { name: 'chart' } } },
    serviceAccountName: 'deployer',
  }
  await tina.create(of('shop', { ...spec, valuesFrom: [{ kind: 'Secret', name: 'values' }] }), writer)
  const told = 'Error: System:serviceaccount:team-a:deployer may not read the Secret team-a/values'
  t.equal(await settled('shop'), told)
  const made = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'shop' }
  t.equal(await people.get(made), undefined)
  const reads: Rule = { apiGroups: [''], resources: ['secrets'], resourceNames: ['values'], verbs: ['get'] }
  await account('deployer', [writes('', 'configmaps'), reads])
  await eventually('the account may read it', async () => (await settled('shop')) === 'Ready: All dependents are ready')
  matches(t, await people.get(made), { data: { greeting: canary } })
})
