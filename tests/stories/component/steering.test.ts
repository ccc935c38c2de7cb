// What annotations of people do to a Component: a call without a new revision, and no call at all.
import t from 'tap'
import { istioCrd } from '../../../shared/api/istio/crd.ts'
import { istioKind } from '../../../shared/api/istio.ts'
import { ourKinds } from '../../../shared/api/our-kinds.ts'
import { settled } from '../../../shared/core/decisions/plan.ts'
import { suspendedStatus, suspensionOf } from '../../../shared/core/decisions/suspension.ts'
import { mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import type { Key, KubeObject } from '../../../shared/core/objects/object.ts'
import { espalierAnnotations as names } from '../../../shared/core/objects/steering.ts'
import { customResources } from '../../../shared/deploy/manifests/manifests.ts'
import { schemaFaults } from '../../../shared/embedded/crd/validate.ts'
import type { Schema } from '../../../shared/embedded/kinds/kind.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { planned } from '../../../shared/runtime/planned.ts'
import { reconcile } from '../../../shared/runtime/reconcile.ts'
import { altered } from '../../harness/clients/altered-client.ts'
import { patientRemotes } from '../../harness/clients/patient-remotes.ts'
import { callOf, established, orchards } from '../../harness/component/orchards.ts'
import { contains } from '../../harness/matches.ts'

const ground = await orchards(t)
const { client, own, configMap, namespace } = ground
const definition = ground.define()
const asked = '2026-03-01T08:00:00Z'

const annotate = (name: string, annotations: Record<string, string | null>) =>
  ground.change(name, { metadata: { annotations } })
const annotationsOf = async (name: string) => (await ground.read(name))?.metadata.annotations ?? {}
const conditionsOf = async (name: string): Promise<string[]> =>
  mapsIn(mapOrEmpty((await ground.read(name))?.status).conditions).map(({ type, message }) => `${type}: ${message}`)

t.test('SEE-41 a call that a person asks for keeps the revision, and takes the annotation away', async t => {
  await ground.plant('fig', { objects: [configMap('fig-a', { a: '1' })] })
  await ground.settle(definition, 'fig')
  const { revision } = await ground.status('fig')
  await annotate('fig', { [names.reconcileRequestedAt]: asked })
  const { outcome } = await ground.call(definition, 'fig')
  t.equal(outcome, 'settled')
  t.equal((await ground.status('fig')).revision, revision)
  t.strictSame(await annotationsOf('fig'), {})
})

t.test('SEE-41 an annotation that is newer than the call stays; a function that may not remove it goes on', async t => {
  await ground.plant('date', { objects: [] })
  await ground.settle(definition, 'date')
  await annotate('date', { [names.reconcileRequestedAt]: asked })
  const later = {
    ...definition,
    gather: async (...given: Parameters<ReconcileFunction['gather']>) => {
      await annotate('date', { [names.reconcileRequestedAt]: '2026-03-01T09:00:00Z' })
      return definition.gather(...given)
    },
  }
  await ground.call(later, 'date')
  t.strictSame(await annotationsOf('date'), { [names.reconcileRequestedAt]: '2026-03-01T09:00:00Z' })
  const warnings: unknown[] = []
  const refusing = altered(own, () => ({ patch: async () => Promise.reject(new Error('forbidden')) }))
  const log = { debug() {}, info() {}, warn: (about: unknown) => void warnings.push(about), error() {} }
  const place = clusters({ local: refusing, client: patientRemotes })
  t.equal((await ground.call(definition, 'date', { clusters: place, log })).outcome, 'settled')
  t.equal(warnings.length, 1)
})

t.test('SEE-43 a suspended object is left alone, its status says who wants that, and nothing is planned', async t => {
  await ground.plant('pear', { objects: [configMap('pear-a', { a: '1' })] })
  await ground.settle(definition, 'pear')
  const { revision } = await ground.status('pear')
  const before = await conditionsOf('pear')
  await annotate('pear', { [names.suspended]: 'alice at 2026-03-01T08:00:00Z: the database moves' })
  await client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'pear-a' }, {})
  t.strictSame((await ground.settle(definition, 'pear')).outcome, 'settled')
  t.equal(await ground.live(configMap('pear-a')), undefined)
  contains(
    t,
    (await conditionsOf('pear')).join('\n'),
    'Suspended: suspended by alice at 2026-03-01T08:00:00Z: the database moves',
  )
  const version = (await ground.read('pear'))?.metadata.resourceVersion
  await ground.settle(definition, 'pear')
  t.equal((await ground.read('pear'))?.metadata.resourceVersion, version, 'it is said once')
  const call = callOf(clusters({ local: own, client: patientRemotes }))
  const plan = await planned(definition, { key: { namespace, name: 'pear' } }, call)
  t.strictSame([plan.is, plan.steps], ['suspended', []])
  await annotate('pear', { [names.suspended]: null })
  await ground.settleUntil(definition, 'pear', async () => (await ground.live(configMap('pear-a'))) !== undefined)
  await ground.settle(definition, 'pear')
  t.strictSame([(await ground.status('pear')).revision, await conditionsOf('pear')], [revision, before])
})

t.test('SEE-43 the deletion of a suspended object is carried out', async t => {
  await ground.plant('kiwi', { objects: [configMap('kiwi-a', { a: '1' })] })
  await ground.settle(definition, 'kiwi')
  await annotate('kiwi', { [names.suspended]: 'alice' })
  await ground.remove('kiwi')
  await ground.gone(definition, 'kiwi')
  t.equal(await ground.live(configMap('kiwi-a')), undefined)
})

/** How often a function of this kind looks at the object when it is called once. */
const looks = async (kind: ReconcileFunction['kind'], key: Key, keepsState?: true): Promise<number> => {
  let count = 0
  const gather = async () => void count++
  const decide = () => ({ steps: [], status: {}, events: [], next: settled })
  const one: ReconcileFunction = {
    does: 'reconcile',
    name: 'one',
    kind,
    gather,
    decide,
    ...(keepsState && { keepsState }),
  }
  await reconcile(one, key, callOf(clusters({ local: own, client: patientRemotes })))
  return count
}

const bothAnnotations = { [names.suspended]: 'alice', [names.reconcileRequestedAt]: asked }

t.test('SEE-43 a suspended Namespace is worked on, and an object of ours by none of its functions', async t => {
  const core = { apiVersion: 'v1', kind: 'Namespace' }
  await client.patch(
    { ...core, namespace: '', name: namespace },
    { type: 'merge', body: { metadata: { annotations: bothAnnotations } } },
    { fieldManager: 'person' },
  )
  t.equal(await looks(core, { namespace: '', name: namespace }), 1)
  const definition = istioCrd()
  await established(client, definition as unknown as KubeObject)
  const key = { namespace, name: 'default' }
  const metadata = { ...key, annotations: bothAnnotations }
  await client.create({ ...istioKind, metadata, spec: {} }, { fieldManager: 'person' })
  const live = () => client.get({ ...istioKind, ...key })
  t.equal(await looks(istioKind, key), 0)
  t.strictSame((await live())?.metadata.annotations, bothAnnotations)
  t.equal(await looks(istioKind, key, true), 0)
  const { metadata: left, status } = (await live()) as KubeObject
  t.strictSame([left.annotations, status], [{ [names.suspended]: 'alice' }, undefined], 'the request was answered')
})

t.test('SEE-43 an object of another kind is suspended, too, before it has a status', async t => {
  await ground.plant('nut', { objects: [] }, { annotations: bothAnnotations })
  const call = callOf(clusters({ local: own, client: patientRemotes }))
  t.equal((await planned(definition, { key: { namespace, name: 'nut' } }, call)).is, 'suspended')
  await ground.call(definition, 'nut')
  t.equal((await ground.read('nut'))?.status, undefined)
})

t.test('SEE-43 what suspends: the annotation of our kinds, and of others whose function keeps the state', async t => {
  const suspended = { name: 'a', annotations: { [names.suspended]: 'alice' } }
  const conditions = [{ type: 'Suspended', status: 'True' }]
  for (const { apiVersion, kind } of ourKinds)
    t.equal(suspensionOf({ apiVersion, kind, metadata: suspended }, { keepsState: false }), 'alice', kind)
  const other = { apiVersion: 'v1', kind: 'Namespace', metadata: suspended }
  t.equal(suspensionOf(other), undefined)
  t.equal(suspensionOf({ ...other, status: { conditions } }, { keepsState: false }), undefined)
  const orchard = { ...other, apiVersion: 'example/v1', kind: 'Orchard' }
  t.equal(suspensionOf(orchard, { keepsState: true }), 'alice')
  t.equal(suspensionOf({ ...orchard, status: { conditions } }), 'alice', 'its function has said so')
})

type Version = { name: string; schema: { openAPIV3Schema: { properties: { status?: Schema } } } }
type Definition = { spec: { names: { kind: string }; versions: Version[] } }

t.test('SEE-43 the definition of each kind takes the status of a suspended object, also of a new one', async t => {
  const stored: Record<string, object> = { Garden: {}, Kyma: {} }
  const definitions = customResources().flatMap(({ objects }) => objects as Definition[])
  for (const { apiVersion, kind } of ourKinds) {
    const definition = definitions.find(({ spec }) => spec.names.kind === kind)
    const version = definition?.spec.versions.find(({ name }) => apiVersion.endsWith(`/${name}`))
    const schema = version?.schema.openAPIV3Schema.properties.status as Schema
    for (const status of [undefined, stored[kind] ?? { state: 'Processing' }]) {
      const object = { apiVersion, kind, metadata: { name: 'a' }, ...(status && { status }) }
      const change = suspendedStatus(object, 'alice', new Date(asked))
      t.equal('conditions' in change, status !== undefined, kind)
      if (Object.keys(change).length > 0) t.strictSame(schemaFaults({ ...status, ...change }, schema, ''), [], kind)
    }
  }
})

t.test('SEE-43 the condition of a Garden has the time that its definition requires; long reasons are cut', async t => {
  const garden = {
    apiVersion: 'operator.gardener.cloud/v1alpha1',
    kind: 'Garden',
    metadata: { name: 'garden' },
    status: {},
  }
  const now = new Date(asked)
  t.strictSame(suspendedStatus(garden, 'alice', now), {
    conditions: [
      {
        type: 'Suspended',
        status: 'True',
        reason: 'Suspended',
        message: 'suspended by alice',
        lastUpdateTime: asked,
        lastTransitionTime: asked,
      },
    ],
  })
  const [condition] = suspendedStatus({ ...garden, kind: 'Kyma' }, 'x'.repeat(9_000), now).conditions as {
    message: string
  }[]
  t.ok(Number(condition?.message.length) < 1_100)
})
