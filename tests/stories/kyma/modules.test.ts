// Modules of a Kyma from its entry to the objects in the runtime and back: functions kyma and manifest together, on two clusters with a
// registry, called by events alone.
import t from 'tap'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { manifestKind, moduleReleaseMetaKind, moduleTemplateKind } from '../../../shared/api/kyma.ts'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import { isDeleting, type KubeObject, type ObjectRef, refOf } from '../../../shared/core/objects/object.ts'
import type { ModuleStatus } from '../../../shared/kyma/kinds.ts'
import { crd } from '../../harness/component/orchards.ts'
import { kymaClusters } from '../../harness/kyma/kyma-clusters.ts'
import { modulesAtWork } from '../../harness/kyma/modules-at-work.ts'
import { matches } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'

const ground = await kymaClusters(t)
const { client, far, runtime, requests } = ground
const user = { username: 'puller', password: 'a-password-of-the-registry' }
const work = await modulesAtWork(t, ground, { user })
const person = { fieldManager: 'person' }
/** Seconds: more than a busy machine needs for what an event brings about, and less than any sweep. */
const quickly = 30
const { labels, managedBy } = kymaNames
const [namespace, there] = [kymaNames.namespaces.controlPlane, kymaNames.namespaces.runtime]

const definition = crd('telemetry.example', 'Telemetry', 'telemetries')
const data = (level: string): JsonMap => ({
  apiVersion: 'telemetry.example/v1',
  kind: 'Telemetry',
  metadata: { name: 'default' },
  spec: { level },
})
const defaultRef: ObjectRef = {
  apiVersion: 'telemetry.example/v1',
  kind: 'Telemetry',
  namespace: there,
  name: 'default',
}

const configMap = (name: string, version: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: there },
  data: { version },
})
const versionOf = async (name: string, cluster = far) =>
  ((await cluster.get(refOf(configMap(name, ''))))?.data as { version?: string } | undefined)?.version

const patch = (ref: ObjectRef, body: JsonMap, cluster = client) => cluster.patch(ref, { type: 'merge', body }, person)
const labelled = (ref: ObjectRef, value: string | null, label: string = labels.managedBy) =>
  patch(ref, { metadata: { labels: { [label]: value } } })

const secretRef = (name: string): ObjectRef => ({ apiVersion: 'v1', kind: 'Secret', namespace, name })
const manifestRef = ({ metadata: { name } }: KubeObject): ObjectRef => ({ ...manifestKind, namespace, name })
const templateRef = (name: string): ObjectRef => ({ ...moduleTemplateKind, namespace, name })

const manifestOf = async (module: string) =>
  (await ground.manifests('first')).find(({ metadata }) => metadata.labels?.[labels.moduleName] === module)

const statusOf = async (kyma = 'first') => (await ground.read(kyma))?.status
const moduleIn = (modules: readonly ModuleStatus[] | undefined, name: string) =>
  modules?.find(module => module.name === name)
const entryOf = async (name: string, kyma = 'first') => moduleIn((await statusOf(kyma))?.modules, name)

const isState = (state: string, operation = /./) =>
  eventually(
    `the Kyma and its copy are ${state}`,
    async () => {
      const both = [await statusOf(), (await ground.copy())?.status]
      return both.every(status => status?.state === state && operation.test(status.lastOperation?.operation ?? ''))
    },
    quickly,
  )
const isReady = () => isState('Ready')

/** Resolves when nobody is called any more for what happened until now. */
const atRest = () => work.host.until(() => work.host.calls.every(({ isOver }) => isOver))

/** Does it, and resolves when this function was called for it. */
const called = async (name: 'kyma' | 'manifest', act: () => Promise<unknown>) => {
  await atRest()
  work.host.forget()
  await act()
  await work.host.until(() => {
    const own = work.host.calls.filter(call => call.function === name)
    return own.length > 0 && own.every(({ isOver }) => isOver)
  })
}

/** What the owner of the runtime wants. */
const owner = (...modules: readonly JsonMap[]) => ground.changeCopy({ spec: { modules } })

t.test(
  'KY-186 KY-113 KY-114 a registry wants the credentials of the Secret, and is asked again while they are wrong',
  async t => {
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: there } }, person)
    const objects = [configMap('private', '1.0.0')]
    await work.release('private', '1.0.0', { objects, packed: 'gzipped', isPulled: true })
    await ground.kymaNamed('puller', { spec: { remote: { enabled: false }, modules: [{ name: 'private' }] } })
    const saying = (text: RegExp) =>
      eventually(`it says ${text}`, async () => text.test((await entryOf('private', 'puller'))?.message ?? ''))
    await saying(/registry-credentials/)
    await work.credentials('wrong')
    await work.again('kyma', 'puller')
    await saying(/401/)
    await work.credentials(user.password)
    await work.again('kyma', 'puller')
    await eventually('it is installed', async () => (await statusOf('puller'))?.state === 'Ready')
    t.equal(await versionOf('private', client), '1.0.0')
    t.notOk(JSON.stringify([await ground.read('puller'), await ground.events('puller')]).includes(user.password))
  },
)

t.test('KY-08 a Kyma without a runtime has its modules in this cluster, and needs no Secret', async t => {
  await work.release('local', '1.0.0', { objects: [configMap('local', '1.0.0')], packed: 'folder' })
  requests.length = 0
  await ground.kymaNamed('here', { spec: { remote: { enabled: false }, modules: [{ name: 'local' }] } })
  await eventually('it is Ready', async () => (await statusOf('here'))?.state === 'Ready')
  const { conditions } = (await statusOf('here')) ?? {}
  t.strictSame(
    conditions?.map(({ type, status }) => `${type} ${status}`),
    ['Modules True'],
  )
  t.equal(await versionOf('local', client), '1.0.0')
  t.notOk(requests.some(request => request.startsWith('there')))
  t.equal(await client.get(ground.copyRef), undefined)
  t.strictSame(await client.list({ ...moduleTemplateKind, namespace: there }), [], 'no catalogue')
})

t.test('KY-122 where a Kyma has no runtime, what somebody changes in this cluster is repaired too', async t => {
  await atRest()
  work.later(60)
  await patch(refOf(configMap('local', '')), { data: { version: 'mine' } })
  await eventually('it is as it was', async () => (await versionOf('local', client)) === '1.0.0', quickly)
  t.pass('without a poll')
})

t.test('KY-62 KY-126 the Kyma and its copy follow what the module says of itself', async t => {
  await work.release('telemetry', '1.0.0', {
    objects: [definition, configMap('telemetry', '1.0.0')],
    data: data('info'),
  })
  await ground.kymaNamed('first', { spec: { modules: [{ name: 'telemetry' }] } })
  await ground.access('first', runtime.kubeconfig)
  await isReady()
  matches(t, await entryOf('telemetry'), { state: 'Ready', version: '1.0.0', resource: { kind: 'Telemetry' } })
  const says = (state: string) =>
    far.patch(defaultRef, { type: 'merge', body: { status: { state } } }, { ...person, subresource: 'status' })
  await says('Warning')
  await isState('Warning', /Telemetry kyma-system\/default/)
  await says('Ready')
  await isReady()
  t.pass('without a poll')
})

t.test(
  'KY-53 the default object of a ModuleTemplate changes: the Manifest follows, the one in the runtime does not',
  async t => {
    await patch(templateRef('telemetry-1.0.0'), { spec: { data: data('debug') } })
    await eventually('the Manifest follows', async () => {
      const { resource } = (await manifestOf('telemetry'))?.spec ?? {}
      return (resource as KubeObject | undefined)?.spec !== undefined && JSON.stringify(resource).includes('debug')
    })
    await atRest()
    await isReady()
    matches(t, await far.get(defaultRef), { spec: { level: 'info' } })
  },
)

t.test('KY-17 new credentials count for the Kyma and its Manifests at once', async t => {
  const use = (kubeconfig: string) =>
    patch(secretRef('first'), { data: ground.secretOf('first', kubeconfig).data as JsonMap })
  await use(ground.revoked)
  await eventually('the Kyma and its Manifest say so', async () => {
    const all = [(await statusOf())?.state, (await manifestOf('telemetry'))?.status?.state]
    return all.every(state => state === 'Error')
  })
  await use(runtime.kubeconfig)
  await isReady()
  t.equal((await manifestOf('telemetry'))?.status?.state, 'Ready')
})

const ours = async (name: string) => {
  const { labels: own = {} } = (await far.get(refOf(configMap(name, ''))))?.metadata ?? {}
  return [labels.managedBy, labels.watchedBy].filter(label => own[label] !== undefined)
}
const isUnmanaged = () =>
  eventually('the module is nobody’s', async () => {
    return (await entryOf('telemetry'))?.state === 'Unmanaged' && (await manifestOf('telemetry')) === undefined
  })

t.test('KY-58 a module that is not managed any more stays as it is, without our labels', async t => {
  await owner({ name: 'telemetry', managed: false })
  await isUnmanaged()
  await isReady()
  const { manifest, template, resource } = (await entryOf('telemetry')) ?? {}
  t.strictSame([manifest, template, resource], [undefined, undefined, undefined])
  t.strictSame([await versionOf('telemetry'), await ours('telemetry')], ['1.0.0', []])
  t.notOk((await far.get(defaultRef))?.metadata.labels?.[labels.managedBy])
  const objects = [definition, configMap('telemetry', '1.1.0')]
  await called('kyma', () => work.release('telemetry', '1.1.0', { objects, data: data('info') }))
  t.equal(await manifestOf('telemetry'), undefined)
  t.equal(await versionOf('telemetry'), '1.0.0')
})

const hold = async (manifest: KubeObject) => {
  const finalizers = [...(manifest.metadata.finalizers ?? []), 'example.org/held']
  await patch(manifestRef(manifest), { metadata: { finalizers } })
}
const release = (manifest: KubeObject) => patch(manifestRef(manifest), { metadata: { finalizers: null } })

const held = async () => {
  const manifest = await manifestOf('telemetry')
  if (!manifest) throw new Error('there is a Manifest')
  await hold(manifest)
  return manifest
}
const isGoing = (manifest: KubeObject) =>
  eventually('the Manifest is going', async () => {
    const live = await client.get(manifestRef(manifest))
    return live !== undefined && isDeleting(live) && live.metadata.finalizers?.length === 1
  })

t.test('KY-60 managed again: labels and content of today return, also while the former Manifest is going', async t => {
  await owner({ name: 'telemetry' })
  await eventually('the version of today is there', async () => (await versionOf('telemetry')) === '1.1.0')
  await isReady()
  t.equal((await ours('telemetry')).length, 2)
  const former = await held()
  await owner({ name: 'telemetry', managed: false })
  await isGoing(former)
  await called('kyma', () => owner({ name: 'telemetry' }))
  await release(former)
  await eventually('another Manifest is there', async () => {
    const manifest = await manifestOf('telemetry')
    return manifest?.status?.state === 'Ready' && manifest.metadata.uid !== former.metadata.uid
  })
  await isReady()
  t.equal((await ours('telemetry')).length, 2)
})

t.test(
  'KY-190 KY-125 a module that is taken out with its mark goes where the Manifest does not bear the mark',
  async t => {
    const former = await held()
    await owner({ name: 'telemetry', managed: false })
    await isGoing(former)
    await called('kyma', () => owner())
    await release(former)
    await eventually('the entry is gone', async () => (await entryOf('telemetry')) === undefined)
    t.strictSame([await versionOf('telemetry'), await ours('telemetry')], ['1.1.0', []], 'marked: all stay')
    await owner({ name: 'telemetry' })
    await eventually('it is installed', async () => (await manifestOf('telemetry'))?.status?.state === 'Ready')
    await isReady()
    await called('manifest', () => far.delete(defaultRef, {}))
    t.equal(await far.get(defaultRef), undefined, 'who deletes the default object does not find it again')
    await owner()
    await eventually('the entry is gone', async () => (await entryOf('telemetry')) === undefined)
    t.strictSame([await versionOf('telemetry'), await manifestOf('telemetry')], [undefined, undefined], 'all go')
  },
)

t.test('KY-188 without the label managed-by an object counts, with another value of it as absent', async t => {
  await work.release('labelled', '1.0.0', { objects: [configMap('labelled', '1.0.0')], isPulled: true })
  await owner({ name: 'labelled' })
  await eventually('it is installed', async () => (await entryOf('labelled'))?.state === 'Ready')
  await isReady()
  const meta: ObjectRef = { ...moduleReleaseMetaKind, namespace, name: 'labelled' }
  const cases: readonly [ObjectRef, string, RegExp][] = [
    [meta, 'Warning', /^no templates were found: for module labelled in channel regular$/],
    [templateRef('labelled-1.0.0'), 'Error', /"labelled-1.0.0" not found$/],
    [secretRef('first'), 'Error', /^access secret not found/],
  ]
  for (const [ref, state, text] of cases) {
    await labelled(ref, 'somebody')
    await eventually(`${ref.kind} counts as absent`, async () => {
      const { state: now, lastOperation } = (await statusOf()) ?? {}
      return now === state && text.test(lastOperation?.operation ?? '')
    })
    await labelled(ref, null)
    await isReady()
  }
  t.equal(await versionOf('labelled'), '1.0.0', 'what was installed stays')
})

t.test('KY-188 a Manifest gets its label back, and one of another name is in the way', async t => {
  const manifest = await manifestOf('labelled')
  if (!manifest) throw new Error('there is a Manifest')
  const ref = manifestRef(manifest)
  await labelled(ref, null)
  await eventually('it has the label again', async () => {
    return (await client.get(ref))?.metadata.labels?.[labels.managedBy] === managedBy.controlPlane
  })
  await labelled(ref, 'somebody')
  await isState('Error', new RegExp(`^Manifest kcp-system/${ref.name} cannot be used for the module: its label`))
  await atRest()
  const before = await client.get(ref)
  const manager = { group: 'apps', version: 'v1', kind: 'Deployment', name: 'x' }
  await called('kyma', () => patch(templateRef('labelled-1.0.0'), { spec: { manager } }))
  work.later(60)
  await called('manifest', () => patch(refOf(configMap('labelled', '')), { data: { version: 'mine' } }, far))
  t.strictSame(await client.get(ref), before)
  await patch(templateRef('labelled-1.0.0'), { spec: { manager: null } })
  await labelled(ref, managedBy.controlPlane)
  await isReady()
  await eventually('its objects are kept again', async () => (await versionOf('labelled')) === '1.0.0')
})

t.test(
  'KY-189 of a Kyma that is skipped the Manifests are kept, unless they are skipped too; deleted, all go',
  async t => {
    await atRest()
    const skip = labels.skipReconciliation
    const [manifest, kyma, copy] = [await manifestOf('labelled'), await ground.read('first'), await ground.copy()]
    if (!manifest || !kyma) throw new Error('there are a Manifest and its Kyma')
    await labelled(refOf(kyma), 'true', skip)
    const edit = async () => {
      work.later(60)
      await patch(refOf(configMap('labelled', '')), { data: { version: 'mine' } }, far)
    }
    await edit()
    await eventually('it is repaired', async () => (await versionOf('labelled')) === '1.0.0')
    const resources = [{ name: 'x', link: 'https://example.org' }]
    await called('kyma', () => patch(templateRef('labelled-1.0.0'), { spec: { resources } }))
    t.strictSame([await statusOf(), await ground.copy()], [kyma.status, copy], 'nobody wrote them')
    await called('manifest', () => labelled(manifestRef(manifest), 'true', skip))
    await called('manifest', edit)
    t.equal(await versionOf('labelled'), 'mine')
    await ground.remove('first')
    await eventually('the Kyma is gone', async () => (await ground.read('first')) === undefined)
    t.strictSame([await versionOf('labelled'), await ground.manifests('first')], [undefined, []])
    t.equal(await ground.copy(), undefined)
  },
)
