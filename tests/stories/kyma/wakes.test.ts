// Who wakes a Kyma: the relay with the subscriptions of serverless.yml, and the real function behind a host that never asks to be called
// again. So whatever happens here happens because of an event.
import t from 'tap'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { manifestKind, moduleReleaseMetaKind } from '../../../shared/api/kyma.ts'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { relayOf } from '../../harness/clusters/relay-of.ts'
import { kymaClusters } from '../../harness/kyma/kyma-clusters.ts'
import { kymaRelay } from '../../harness/kyma/kyma-relay.ts'
import { eventually } from '../../harness/until.ts'
import { moduleManifest, moduleReleaseMeta, moduleTemplate } from '../../make/kyma/kyma.ts'
import { type Call, recordingHost } from '../../shared/relay/recording-host.ts'

const ground = await kymaClusters(t)
const { client, far, runtime } = ground
const person = { fieldManager: 'person' }
/** Seconds: more than a busy machine needs for what an event brings about, and less than any sweep. */
const quickly = 30

const pullSecret = (password: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'pull', namespace: 'kcp-system' },
  type: 'kubernetes.io/dockerconfigjson',
  data: { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths: { x: { password } } })).toString('base64') },
})
await client.create(pullSecret('one'), person)
const host = await kymaRelay(t, ground, { pullSecret: 'pull' })

const stateIs = (name: string, state: string, operation?: RegExp) =>
  eventually(
    `the Kyma ${name} is ${state}`,
    async () => {
      const { status } = (await ground.read(name)) ?? {}
      return status?.state === state && (operation?.test(status.lastOperation?.operation ?? '') ?? true)
    },
    quickly,
  )
/** No call is under way that would see what is changed next without having been called for it. */
const atRest = () => host.until(() => host.calls.every(({ isOver }) => isOver))
const secretNamed = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', namespace: 'kcp-system', name })

t.test('KY-13 KY-193 an access Secret that is created, doubled, deleted and changed calls its Kyma', async t => {
  await ground.kymaNamed('awake')
  await stateIs('awake', 'Error', /access secret not found/)
  await ground.access('awake', runtime.kubeconfig)
  await stateIs('awake', 'Ready')
  await ground.access('another', runtime.kubeconfig, 'awake')
  await stateIs('awake', 'Error', /more than one secret found/)
  await client.delete(secretNamed('another'), {})
  await stateIs('awake', 'Ready')
  await client.patch(secretNamed('awake'), { type: 'merge', body: { data: { config: null } } }, person)
  await stateIs('awake', 'Error', /has no key config/)
  await client.patch(
    secretNamed('awake'),
    { type: 'merge', body: { data: ground.secretOf('awake', runtime.kubeconfig).data } },
    person,
  )
  await stateIs('awake', 'Ready')
  t.ok(host.called().every(key => key === 'kcp-system/awake'))
})

t.test('KY-05 what the owner of the runtime writes into the copy calls the Kyma', async t => {
  await ground.create(moduleTemplate())
  await ground.create(moduleReleaseMeta())
  await ground.changeCopy({ spec: { modules: [{ name: 'telemetry' }] } })
  await eventually('the module has a Manifest', async () => (await ground.manifests('awake')).length === 1)
  await far.delete(ground.copyRef, {})
  await eventually('the copy is back', async () => (await ground.copy()) !== undefined)
  t.pass('without a poll')
})

t.test('KY-72 an object of the catalogue that is deleted in the runtime comes back', async t => {
  const ref = { ...moduleReleaseMetaKind, namespace: 'kyma-system', name: 'telemetry' }
  await eventually('the catalogue is there', async () => (await far.get(ref)) !== undefined)
  const before = await far.get(ref)
  await far.delete(ref, {})
  await eventually(
    'it is back',
    async () => ![undefined, before?.metadata.uid].includes((await far.get(ref))?.metadata.uid),
  )
  t.pass('without a poll')
})

t.test(
  'KY-07 a definition that changes in the control plane follows in the runtime, one deleted there returns',
  async t => {
    const ref = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      namespace: '',
      name: 'modulereleasemetas.operator.kyma-project.io',
    }
    const shortNames = async () => (await far.get(ref))?.spec as { names: { shortNames?: string[] } } | undefined
    await client.patch(ref, { type: 'merge', body: { spec: { names: { shortNames: ['mrm', 'rel'] } } } }, person)
    await eventually('it follows', async () => (await shortNames())?.names.shortNames?.includes('rel') ?? false)
    await far.delete(ref, {})
    await eventually('it is served again', async () => {
      const { conditions } = ((await far.get(ref))?.status ?? {}) as { conditions?: { type: string }[] | null }
      return conditions?.some(({ type }) => type === 'Established') ?? false
    })
    t.pass('without a poll')
  },
)

t.test('KY-03 an account label that changes on the Kyma follows on the copy', async t => {
  await ground.change('awake', { metadata: { labels: { [kymaNames.labels.globalAccountId]: 'ga-2' } } })
  await eventually(
    'the copy has it',
    async () => (await ground.copy())?.metadata.labels?.[kymaNames.labels.globalAccountId] === 'ga-2',
  )
  t.pass('without a poll')
})

t.test('KY-10 the Secret by which runtimes pull images is replaced: the runtime has the new one', async t => {
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace: 'kyma-system', name: 'pull' }
  const { data } = pullSecret('two')
  await atRest()
  await client.patch(secretNamed('pull'), { type: 'merge', body: { data } as JsonMap }, person)
  await eventually('it follows', async () => JSON.stringify((await far.get(ref))?.data) === JSON.stringify(data))
  t.pass('without a poll')
})

t.test('RE-12 an event before its write is committed, or of one that is rejected, changes nothing', async t => {
  await ground.changeCopy({ spec: { modules: [] } })
  const manifests = (count: number) =>
    eventually(`there are ${count} Manifests`, async () => (await ground.manifests('awake')).length === count)
  await manifests(0)
  await eventually('nothing is told of it any more', async () => {
    const both = [(await ground.read('awake'))?.status, (await ground.copy())?.status]
    return both.every(status => status?.state === 'Ready' && status.modules?.length === 0)
  })
  await atRest()
  const answer = host.answer
  t.teardown(() => {
    host.answer = answer
  })
  const outcomes: (readonly unknown[])[] = []
  const pass = async (): Promise<readonly unknown[]> => {
    const before = outcomes.length
    await host.handOver('awake')
    await host.until(() => outcomes.length > before)
    return outcomes[before] ?? []
  }
  host.answer = async call => {
    ground.requests.length = 0
    const outcome = await answer(call)
    outcomes.push(ground.writes())
    return outcome
  }
  await eventually('what came before has ended', async () => (await pass()).length === 0)
  outcomes.length = 0
  const told = host.answer
  host.answer = async call => {
    const outcome = await told(call)
    // The write that the event was about is committed when its pass has read, and before it is over.
    if (outcomes.length === 2) await ground.changeCopy({ spec: { modules: [{ name: 'telemetry' }] } })
    return outcome
  }
  await pass()
  await pass()
  t.strictSame(outcomes.slice(0, 2), [[], []], 'no write for nothing')
  await manifests(1)
})

t.test('KY-224 the certificates of the listener are looked after as soon as their namespace is there', async t => {
  const host = await recordingHost()
  t.teardown(host.close)
  await relayOf(t, ground, { host, names: ['gateway-certificate'] })
  t.strictSame(host.called(), [], 'no Watcher')
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'istio-system' } }, person)
  await host.until(() => host.called().includes('istio-system'))
})

t.test('KY-193 a release that moves calls the Kymas in its channel at once, and no other', async t => {
  const kymaIn = async (name: string, channel: string) => {
    const remote = { enabled: false }
    await ground.kymaNamed(name, { spec: { channel, remote, modules: [{ name: 'moved' }] } })
  }
  const template = (version: string) =>
    ground.create(
      moduleTemplate({
        metadata: { name: `moved-${version}` },
        spec: { moduleName: 'moved', version, descriptor: { component: { name: 'x.io/moved', version } } },
      }),
    )
  const channels = (fast: string) => [
    { channel: 'fast', version: fast },
    { channel: 'regular', version: '1.0.0' },
  ]
  await template('1.0.0')
  await template('1.1.0')
  await ground.create(
    moduleReleaseMeta({ metadata: { name: 'moved' }, spec: { moduleName: 'moved', channels: channels('1.0.0') } }),
  )
  await kymaIn('runs-fast', 'fast')
  await kymaIn('runs-regular', 'regular')
  const versionOf = async (name: string) => (await ground.manifests(name))[0]?.spec.version
  for (const name of ['runs-fast', 'runs-regular'])
    await eventually(`${name} has told of the module`, async () => {
      const [entry] = (await ground.read(name))?.status?.modules ?? []
      return entry?.manifest !== undefined && (await versionOf(name)) === '1.0.0'
    })
  await atRest()
  const before = (await ground.read('runs-regular'))?.metadata.resourceVersion
  const answered: string[] = []
  const keys = host.keys
  host.keys = async question => {
    const found = await keys(question)
    if (question.object.kind === moduleReleaseMetaKind.kind) answered.push(...found.map(({ name }) => name))
    return found
  }
  t.teardown(() => {
    host.keys = keys
  })
  const ref = { ...moduleReleaseMetaKind, namespace: 'kcp-system', name: 'moved' }
  await client.patch(ref, { type: 'merge', body: { spec: { channels: channels('1.1.0') } } }, person)
  await eventually('the relay has asked whom it concerns', async () => answered.length > 0, quickly)
  await eventually('it follows', async () => (await versionOf('runs-fast')) === '1.1.0', quickly)
  await atRest()
  t.strictSame(answered, ['runs-fast'])
  t.equal((await ground.read('runs-regular'))?.metadata.resourceVersion, before)
})

t.test('KY-81 the end of the last Manifest calls the Kyma that waits for it', async t => {
  const [manifest] = await ground.manifests('runs-fast')
  if (!manifest) throw new Error('there is a Manifest')
  const ref = { ...manifestKind, namespace: 'kcp-system', name: manifest.metadata.name }
  const held = (finalizers: string[] | null) =>
    client.patch(ref, { type: 'merge', body: { metadata: { finalizers } } }, person)
  await held([kymaNames.finalizers.manifest])
  await ground.remove('runs-fast')
  await stateIs('runs-fast', 'Deleting', /^waiting for modules to be deleted$/)
  await atRest()
  await held(null)
  await eventually('the Kyma is gone', async () => (await ground.read('runs-fast')) === undefined, quickly)
  t.pass('without a poll')
})

t.test('RE-16 the Manifests of one slow runtime have half of the places, and those of others go on', async t => {
  const host = await recordingHost()
  t.teardown(host.close)
  const answers = Promise.withResolvers<void>()
  const isSlow = ({ key }: Call) => key.includes('/slow-')
  host.answer = async call => {
    if (isSlow(call)) await answers.promise
    return { outcome: 'settled' }
  }
  await relayOf(t, ground, { host, names: ['manifest'] })
  const modules = (kyma: string, count: number) =>
    Array.from({ length: count }, (_, n) =>
      ground.create(
        moduleManifest({ metadata: { name: `${kyma}-${n}`, labels: { [kymaNames.labels.kymaName]: kyma } } }),
      ),
    )
  const called = (kyma: string) => new Set(host.called().filter(key => key.includes(`/${kyma}-`))).size
  const places = readLandscape('serverless.yml').functions.manifest?.concurrency ?? 0
  const half = places / 2
  await Promise.all(modules('slow', half + 2))
  await host.until(() => called('slow') === half)
  await Promise.all(modules('quick', half + 2))
  await host.until(() => called('quick') === half + 2)
  t.strictSame([host.calls.filter(call => isSlow(call) && !call.isOver).length, called('slow')], [half, half])
  answers.resolve()
  await host.until(() => called('slow') === half + 2)
})
