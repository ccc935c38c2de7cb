// What annotations of people do to a Component: a call without a new revision, and no call at all.
import t from 'tap'
import { suspendedStatus } from '../../../shared/core/decisions/suspension.ts'
import { mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { espalierAnnotations as names } from '../../../shared/core/objects/steering.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { planned } from '../../../shared/runtime/planned.ts'
import { altered } from '../../harness/clients/altered-client.ts'
import { patientRemotes } from '../../harness/clients/patient-remotes.ts'
import { callOf, orchards } from '../../harness/component/orchards.ts'
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

t.test('SEE-43 a function that does not keep the state writes none of it', async t => {
  await ground.plant('lime', { objects: [] })
  await ground.settle(definition, 'lime')
  await annotate('lime', { [names.suspended]: 'alice', [names.reconcileRequestedAt]: asked })
  const version = (await ground.read('lime'))?.metadata.resourceVersion
  const { keepsState: _, ...other } = definition
  await ground.call(other, 'lime')
  t.equal((await ground.read('lime'))?.metadata.resourceVersion, version)
})

t.test('SEE-43 the condition of a Garden has the time that its definition requires; long reasons are cut', async t => {
  const garden = { apiVersion: 'operator.gardener.cloud/v1alpha1', kind: 'Garden', metadata: { name: 'garden' } }
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
