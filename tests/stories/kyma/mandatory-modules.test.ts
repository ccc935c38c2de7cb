// Mandatory modules on a cluster, where a relay calls kyma and both functions of theirs: versions come and go for all Kymas at once.
import t from 'tap'
import { kymaCrds } from '../../../shared/api/kyma/crds.ts'
import { kymaKind, manifestKind, moduleReleaseMetaKind, moduleTemplateKind } from '../../../shared/api/kyma.ts'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import type { Kyma, Manifest } from '../../../shared/kyma/kinds.ts'
import { atWork } from '../../harness/clusters/functions-at-work.ts'
import { ownCluster } from '../../harness/clusters/own-cluster.ts'
import { define } from '../../harness/clusters/test-definitions.ts'
import { type Assertions, differencesOf, matches } from '../../harness/matches.ts'
import { until } from '../../harness/until.ts'
import { kyma, moduleReleaseMeta } from '../../make/kyma/kyma.ts'
import { mandatoryMeta, mandatoryTemplate } from '../../make/kyma/mandatory-modules.ts'
import { namespace } from '../../make/objects/namespaces.ts'

const person = { fieldManager: 'person' }
const op = 'operator.kyma-project.io'
const here = (kind: { apiVersion: string; kind: string }, name: string): ObjectRef => ({
  ...kind,
  namespace: 'kcp-system',
  name,
})
const template = (version: string) => here(moduleTemplateKind, `warden-${version}`)
const theMeta = here(moduleReleaseMetaKind, 'warden')

const client = await ownCluster(t)
await client.create(namespace('kcp-system'), person)
for (const crd of kymaCrds()) await define(client, crd as KubeObject)
await atWork(t, client, ['kyma', 'mandatory-modules-install', 'mandatory-modules-delete'])

const create = (object: KubeObject) => client.create(object, person)
const inOwnCluster = (name: string) => kyma({ metadata: { name }, spec: { remote: { enabled: false } } })

/** `kyma version` of each Manifest. */
const installed = async (): Promise<string[]> =>
  ((await client.list({ ...manifestKind, namespace: 'kcp-system' })) as Manifest[])
    .map(({ metadata, spec }) => `${metadata.labels?.[`${op}/kyma-name`]} ${spec.version}`)
    .sort()

/** Passes once `look` finds what is wanted. */
const becomes = async (t: Assertions, wanted: unknown, look: () => Promise<unknown>) =>
  matches(t, await until(look, found => differencesOf(found, wanted).length === 0), wanted)

const isGone = async (ref: ObjectRef) => (await client.get(ref)) === undefined

t.test('KY-90 every Kyma gets the highest of three versions, beside the modules that it lists', async t => {
  for (const name of ['one', 'two']) await create(inOwnCluster(name))
  for (const version of ['1.9.0', '1.10.0', '1.2.0']) await create(mandatoryTemplate('warden', version))
  await becomes(t, ['one 1.10.0', 'two 1.10.0'], installed)
  const kymaIs = async () => (await client.get(here(kymaKind, 'one'))) as Kyma
  await becomes(t, { status: { state: 'Ready', modules: [] } }, kymaIs)
  const [manifest] = await client.list({ ...manifestKind, namespace: 'kcp-system' })
  const labels = Object.keys(manifest?.metadata.labels ?? {})
  t.ok(labels.includes(`${op}/mandatory-module`) && !labels.includes(`${op}/channel`), labels.join())
})

t.test('KY-93 a higher version appears: all follow; a new Kyma gets it', async t => {
  await create(mandatoryTemplate('warden', '2.0.0'))
  await becomes(t, ['one 2.0.0', 'two 2.0.0'], installed)
  await create(inOwnCluster('three'))
  await becomes(t, ['one 2.0.0', 'three 2.0.0', 'two 2.0.0'], installed)
})

t.test('KY-95 the highest version is deleted: its Manifests go, then it goes, and the next one follows', async t => {
  const isHeld = async () => (await client.get(template('2.0.0')))?.metadata.finalizers
  await becomes(t, [`${op}/mandatory-module`], isHeld)
  const [before] = await client.list({ ...manifestKind, namespace: 'kcp-system' })
  await client.delete(template('2.0.0'), {})
  await becomes(t, true, () => isGone(template('2.0.0')))
  await becomes(t, ['one 1.10.0', 'three 1.10.0', 'two 1.10.0'], installed)
  const after = await client.list({ ...manifestKind, namespace: 'kcp-system' })
  t.notOk(
    after.some(({ metadata }) => metadata.uid === before?.metadata.uid),
    'they are new',
  )
})

t.test('KY-91 KY-92 a ModuleReleaseMeta decides, also for a lower version', async t => {
  await create(mandatoryMeta('warden', '1.9.0'))
  await becomes(t, ['one 1.9.0', 'three 1.9.0', 'two 1.9.0'], installed)
})

t.test('KY-96 it is deleted: all Manifests go, and labelled versions that it used do not bring them back', async t => {
  const isMarked = async () => (await client.get(template('1.9.0')))?.metadata.annotations
  await becomes(t, { [`${op}/released-by`]: 'warden' }, isMarked)
  for (const version of ['1.10.0', '1.2.0']) await client.delete(template(version), {})
  await becomes(t, true, () => isGone(template('1.10.0')))
  await client.delete(theMeta, {})
  await becomes(t, true, () => isGone(theMeta))
  await becomes(t, [], installed)
  await create(mandatoryTemplate('other', '1.0.0'))
  await becomes(t, ['one 1.0.0', 'three 1.0.0', 'two 1.0.0'], installed)
})

/** `Kind namespace/name Type Reason` of Events. */
const told = async (reason: string): Promise<string[]> =>
  (await client.list({ apiVersion: 'v1', kind: 'Event' }))
    .filter(event => event.reason === reason)
    .map(({ type, reason, involvedObject, count }) => {
      const { kind, namespace, name } = involvedObject as ObjectRef
      return `${kind} ${namespace}/${name} ${type} ${reason} ${count}`
    })
    .sort()

t.test('KY-199 what lies in another namespace is not used, and told of once', async t => {
  const elsewhere = (object: KubeObject, labels: Record<string, string | null> = {}) => {
    const { metadata } = object
    return {
      ...object,
      metadata: { ...metadata, namespace: 'default', labels: { ...metadata.labels, ...labels } },
    } as KubeObject
  }
  const copied = { [`${op}/managed-by`]: 'kyma' }
  await create(elsewhere(mandatoryTemplate('stray', '1.0.0')))
  await create(elsewhere(mandatoryTemplate('copied', '1.0.0'), copied))
  await create(elsewhere(moduleReleaseMeta()))
  await create(elsewhere(inOwnCluster('stray')))
  await create(elsewhere(inOwnCluster('copied'), copied))
  const once = [
    'Kyma default/stray Warning NotPickedUp 1',
    'ModuleReleaseMeta default/telemetry Warning NotPickedUp 1',
    'ModuleTemplate default/stray-1.0.0 Warning NotPickedUp 1',
  ]
  await becomes(t, once, () => told('NotPickedUp'))
  await create(mandatoryTemplate('last', '1.0.0', { spec: { descriptor: { component: { version: 'soon' } } } }))
  await becomes(t, ['ModuleTemplate kcp-system/last-1.0.0 Warning MandatoryModuleNotInstalled 1'], () =>
    told('MandatoryModuleNotInstalled'),
  )
  t.strictSame(await told('NotPickedUp'), once)
  t.strictSame(await installed(), ['one 1.0.0', 'three 1.0.0', 'two 1.0.0'])
})

t.test('KY-200 spec.mandatory alone installs nothing, and it is told; with the label it is installed', async t => {
  const unlabelled = mandatoryTemplate('keda', '1.0.0', { spec: { mandatory: true } })
  const { [`${op}/mandatory-module`]: _, ...labels } = unlabelled.metadata.labels ?? {}
  await create({ ...unlabelled, metadata: { ...unlabelled.metadata, labels } })
  await becomes(t, ['ModuleTemplate kcp-system/keda-1.0.0 Warning MandatoryLabelMissing 1'], () =>
    told('MandatoryLabelMissing'),
  )
  t.equal((await installed()).length, 3)
  const ref = here(moduleTemplateKind, 'keda-1.0.0')
  const body = { metadata: { labels: { [`${op}/mandatory-module`]: 'true' } } }
  await client.patch(ref, { type: 'merge', body }, person)
  await becomes(t, 6, async () => (await installed()).length)
})
