// A Kyma and its runtime, on two clusters: from the empty object to Ready, what its owner edits there, trouble, and its end.
import { inspect } from 'node:util'
import t from 'tap'
import { kyma as kymaFunction } from '../../../functions/kyma/index.ts'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind, manifestKind, moduleReleaseMetaKind, moduleTemplateKind } from '../../../shared/api/kyma.ts'
import type { Outcome } from '../../../shared/core/decisions/outcome.ts'
import { mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { getIfServed } from '../../../shared/kube/reading.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { newAuthority } from '../../harness/clients/certificates.ts'
import { behindKubeconfig, hostileApiServer, type Trick } from '../../harness/clients/hostile-api-server.ts'
import { resolvesToLoopback } from '../../harness/clients/inner-names.ts'
import { base64, kubeconfig } from '../../harness/clients/kubeconfig.ts'
import { define } from '../../harness/clusters/test-definitions.ts'
import { kymaClusters } from '../../harness/kyma/kyma-clusters.ts'
import { statesIn } from '../../harness/kyma/settled-manifests.ts'
import { matches } from '../../harness/matches.ts'
import { freePorts } from '../../harness/processes/ports.ts'
import { eventually } from '../../harness/until.ts'
import { moduleReleaseMeta, moduleTemplate } from '../../make/kyma/kyma.ts'

const ground = await kymaClusters(t)
const { runtime, far, client, requests, writes } = ground

const told = ({ wrote: _, ...outcome }: Outcome): Outcome => outcome
const inRuntime = (kind: { apiVersion: string; kind: string }, name: string, namespace = 'kyma-system') =>
  getIfServed(far, { ...kind, namespace, name })
const crdKind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' }
const operator = 'operator.kyma-project.io'

t.test('KY-01 KY-02 KY-353 from the empty Kyma to Ready in both clusters in one call', async t => {
  await ground.kymaNamed('first', { metadata: { labels: { [kymaNames.labels.managedBy]: null } } })
  await ground.access('first', runtime.kubeconfig)
  requests.length = 0
  const outcomes = [await ground.call('first')]
  // A real API server takes a moment to establish and serve definitions, of which their watch tells; nothing else is waited for.
  if (runtime.isReal)
    await eventually('the definitions are served', async () => {
      if (outcomes.at(-1)?.outcome === 'waiting') outcomes.push(await ground.call('first'))
      return outcomes.at(-1)?.outcome !== 'waiting'
    })
  t.strictSame(outcomes.slice(-1).map(told), [{ outcome: 'settled', requeueAfterSeconds: 300 }])
  if (!runtime.isReal) t.equal(outcomes.length, 1, 'one call')
  t.comment(`${requests.length} requests: ${requests.join(', ')}`)
  const before = new Set(requests.slice(0, requests.indexOf('here patch')))
  t.strictSame([...before], ['here get'], 'the Kyma alone is read before it has label and finalizer')
  const kyma = await ground.read('first')
  matches(t, kyma, {
    metadata: { labels: { [kymaNames.labels.managedBy]: 'lifecycle-manager' }, finalizers: [`${operator}/Kyma`] },
    status: { state: 'Ready', activeChannel: 'regular', modules: [], lastOperation: { operation: 'kyma is ready' } },
  })
  matches(t, await inRuntime({ apiVersion: 'v1', kind: 'Namespace' }, 'kyma-system', ''), {
    metadata: { labels: { [`${operator}/managed-by`]: 'kyma', 'istio-injection': 'enabled' } },
  })
  for (const plural of ['kymas', 'moduletemplates', 'modulereleasemetas'])
    t.ok(await inRuntime(crdKind, `${plural}.${operator}`, ''), plural)
  t.notOk(await inRuntime(crdKind, `manifests.${operator}`, ''))
  matches(t, await ground.copy(), { spec: { channel: 'regular' }, status: { state: 'Ready' } })
  t.ok((await ground.events('first')).includes('Normal RemoteInstallation: Kyma was installed to SKR'))
})

const stateOf = statesIn(ground)

t.test('KY-55 a further call of a Ready Kyma writes nothing in either cluster', async t => {
  await ground.create(moduleTemplate())
  await ground.create(moduleReleaseMeta())
  await ground.call('first')
  requests.length = 0
  matches(t, await ground.call('first'), { outcome: 'settled' })
  t.strictSame(writes(), [])
})

t.test('KY-16 a runtime that falls silent is asked for the copy alone, once in a call', async t => {
  const hanging = await behindKubeconfig(t, () => undefined)
  await ground.change('first', { spec: { channel: 'regular' } })
  await ground.call('first')
  matches(t, await ground.call('first', { isQuiet: true }), { outcome: 'settled' })
  await changeSecret({ config: encoded(hanging.kubeconfig) }, 'first')
  const outcome = await ground.call('first', { isQuiet: true, clusters: ground.impatient })
  matches(t, outcome, { outcome: 'failed', requeueAfterSeconds: 5 })
  matches(t, await stateOf('first'), { state: 'Error', operation: /the runtime cannot be read: .* did not answer/ })
  t.ok(
    hanging.asked.every(path => !path.includes('/namespaces') && !path.includes('customresourcedefinitions')),
    `asked ${hanging.asked.join(', ')}`,
  )
  await changeSecret({ config: encoded(runtime.kubeconfig) }, 'first')
  await ground.call('first')
  matches(t, await stateOf('first'), { state: 'Ready' })
})

t.test('KY-05 KY-04 KY-55 what the owner writes into the copy counts, and the Kyma is left as it is', async t => {
  await ground.changeCopy({ spec: { modules: [{ name: 'telemetry', customResourcePolicy: 'Ignore' }] } })
  await ground.call('first')
  const [manifest] = await ground.manifests('first')
  matches(t, manifest, { spec: { customResourcePolicy: 'Ignore' } })
  t.strictSame((await ground.read('first'))?.spec, { channel: 'regular' })
  if (manifest) await ground.installed(manifest)
  matches(t, await ground.call('first'), { outcome: 'settled' })
  const [kyma, copy] = [await ground.read('first'), await ground.copy()]
  matches(t, kyma?.status, {
    state: 'Ready',
    modules: [{ name: 'telemetry', state: 'Ready', manifest: { kind: 'Manifest' } }],
  })
  matches(t, copy?.status, { state: 'Ready', modules: [{ template: { metadata: { namespace: 'kyma-system' } } }] })
  t.notOk(
    copy?.status?.modules?.some(({ manifest }) => manifest),
    'no Manifest is in the runtime',
  )
  t.ok(copy?.status?.conditions?.every(({ observedGeneration }) => observedGeneration === copy.metadata.generation))
  requests.length = 0
  matches(t, await ground.call('first'), { outcome: 'settled' })
  t.strictSame(writes(), [], 'a further call writes nothing')
})

t.test('KY-70 KY-72 the catalogue is there, comes back, and what others put beside it stays', async t => {
  const mine = { name: 'mine-1.0.0', namespace: 'kyma-system', labels: { [kymaNames.labels.managedBy]: 'kyma' } }
  await far.create({ ...moduleTemplate(), metadata: mine }, { fieldManager: 'kubectl' })
  t.ok(await inRuntime(moduleTemplateKind, 'telemetry-1.2.3'))
  await far.delete({ ...moduleReleaseMetaKind, namespace: 'kyma-system', name: 'telemetry' }, {})
  await ground.call('first')
  t.ok(await inRuntime(moduleReleaseMetaKind, 'telemetry'))
  await client.patch(
    { ...moduleTemplateKind, namespace: 'kcp-system', name: 'telemetry-1.2.3' },
    { type: 'merge', body: { metadata: { labels: { [kymaNames.labels.beta]: 'true' } } } },
    { fieldManager: 'person' },
  )
  await ground.call('first')
  t.notOk(await inRuntime(moduleTemplateKind, 'telemetry-1.2.3'), 'hidden')
  t.notOk(await inRuntime(moduleReleaseMetaKind, 'telemetry'))
  t.ok(await inRuntime(moduleTemplateKind, 'mine-1.0.0'))
})

t.test('KY-06 a copy that its owner deletes is created again from the Kyma', async t => {
  await far.delete(ground.copyRef, {})
  await ground.call('first')
  matches(t, await ground.copy(), { spec: { channel: 'regular' } })
  t.notOk((await ground.copy())?.spec.modules)
  const events = await ground.events('first')
  t.ok(events.some(event => event.startsWith('Normal RemoteInstallation')))
})

t.test('KY-07 a definition that somebody changed in the runtime is as before', async t => {
  const ref = { ...crdKind, namespace: '', name: `moduletemplates.${operator}` }
  const before = await far.get(ref)
  const versions = (mapOrEmpty(before?.spec).versions as { deprecated?: boolean }[]).map(version => ({
    ...version,
    additionalPrinterColumns: [],
  }))
  await far.patch(ref, { type: 'merge', body: { spec: { versions } } }, { fieldManager: 'person' })
  await ground.call('first')
  t.strictSame((await far.get(ref))?.spec, before?.spec)
})

t.test('KY-221 a module that only the copy names stays while the runtime does not serve the copy', async t => {
  const beta = (value: string | null) =>
    client.patch(
      { ...moduleTemplateKind, namespace: 'kcp-system', name: 'telemetry-1.2.3' },
      { type: 'merge', body: { metadata: { labels: { [kymaNames.labels.beta]: value } } } },
      { fieldManager: 'person' },
    )
  await beta(null)
  await ground.changeCopy({ spec: { modules: [{ name: 'telemetry' }] } })
  await ground.call('first')
  const [before] = await ground.manifests('first')
  const ref = { ...crdKind, namespace: '', name: `kymas.${operator}` }
  const versions = mapsIn(mapOrEmpty((await far.get(ref))?.spec).versions).map(version => ({
    ...version,
    served: version.name === 'v1beta1',
  }))
  await far.patch(ref, { type: 'merge', body: { spec: { versions } } }, { fieldManager: 'person' })
  await eventually('nobody can read it', async () => (await ground.copy()) === undefined)
  await ground.call('first')
  const [after] = await ground.manifests('first')
  t.equal(after?.metadata.uid, before?.metadata.uid)
  t.notOk(after?.metadata.deletionTimestamp)
  await eventually('the definition is as it was', async () => {
    await ground.call('first')
    return (await ground.copy())?.spec.modules?.length === 1
  })
  await ground.changeCopy({ spec: { modules: [] } })
  await ground.call('first')
  t.strictSame(await ground.manifests('first'), [], 'once it can be read its owner decides')
  await beta('true')
})

const finalizer = kymaNames.finalizers.manifest
const spec = { channel: 'regular' }
const release = (manifest: KubeObject) =>
  client.patch(
    { ...manifestKind, namespace: 'kcp-system', name: manifest.metadata.name },
    { type: 'merge', body: { metadata: { finalizers: null } } },
    { fieldManager: 'person' },
  )

/** A Kyma with the module telemetry, installed, whose Manifest waits for its finalizer when it is deleted. */
const withModule = async (name: string) => {
  await ground.kymaNamed(name, { spec: { modules: [{ name: 'telemetry' }] } })
  await ground.access(name, runtime.kubeconfig)
  // Definitions that went with another Kyma may still be going.
  await eventually(`the copy of ${name} is there`, async () => {
    await ground.call(name)
    return (await ground.copy())?.status?.state !== undefined
  })
  const [manifest] = await ground.manifests(name)
  if (!manifest) throw new Error('there is a Manifest')
  await client.patch(
    { ...manifestKind, namespace: 'kcp-system', name: manifest.metadata.name },
    { type: 'merge', body: { metadata: { finalizers: [finalizer] } } },
    { fieldManager: 'person' },
  )
  return manifest
}

t.test('KY-80 KY-81 a deleted Kyma goes step by step in one call, and waits for its modules', async t => {
  await ground.remove('first')
  t.strictSame(told(await ground.call('first')), { outcome: 'settled' }, 'without modules nothing is to be waited for')
  t.equal(await ground.read('first'), undefined)
  t.equal(await ground.copy(), undefined)
  await client.patch(
    { ...moduleTemplateKind, namespace: 'kcp-system', name: 'telemetry-1.2.3' },
    { type: 'merge', body: { metadata: { labels: { [kymaNames.labels.beta]: null } } } },
    { fieldManager: 'person' },
  )
  const manifest = await withModule('second')
  const agent = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'skr-webhook', namespace: 'kyma-system' } }
  await far.create({ ...agent, spec: { ports: [{ port: 443 }] } }, { fieldManager: 'other' })
  await ground.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'istio-system' } })
  const labels = { [kymaNames.labels.purpose]: 'klm-watcher-cert-manager' }
  const certificate = { name: 'second-webhook-tls', namespace: 'istio-system', labels }
  await ground.create({ apiVersion: 'v1', kind: 'Secret', metadata: certificate })
  await ground.remove('second')
  const outcome = await ground.call('second')
  matches(t, outcome, { outcome: 'waiting', requeueAfterSeconds: 5, reason: 'waiting for modules to be deleted' })
  t.strictSame(await stateOf('second'), { state: 'Deleting', operation: 'waiting for modules to be deleted' })
  t.equal(await ground.copy(), undefined)
  for (const plural of ['kymas', 'moduletemplates', 'modulereleasemetas'])
    await eventually(`the definition of ${plural} is gone`, async () => {
      return (await inRuntime(crdKind, `${plural}.${operator}`, '')) === undefined
    })
  t.ok(await inRuntime({ apiVersion: 'v1', kind: 'Namespace' }, 'kyma-system', ''))
  await release(manifest)
  await ground.call('second')
  t.equal(await ground.read('second'), undefined)
  const steps = (await ground.events('second')).filter(event => event.endsWith(': Success'))
  // The second and third are taken in one pass, and so are the last three: these are told at once.
  t.strictSame(
    [...steps.slice(0, 1), ...steps.slice(1, 3).sort(), ...steps.slice(3, -3), ...steps.slice(-3).sort()],
    [
      'Normal SetKcpKymaStateDeleting: Success',
      'Normal DeleteManifests: Success',
      'Normal SetSkrKymaStateDeleting: Success',
      'Normal DeleteCertificateSetup: Success',
      'Normal DeleteSkrWebhookResources: Success',
      'Normal DeleteSkrModuleTemplateCrd: Success',
      'Normal DeleteSkrModuleReleaseMetaCrd: Success',
      'Normal DeleteSkrKyma: Success',
      'Normal DeleteSkrKymaCrd: Success',
      'Normal DeleteMetrics: Success',
      'Normal DropKymaFinalizer: Success',
      'Normal EnsureManifestDeletion: Success',
    ],
  )
})

t.test(
  'KY-84 KY-228 KY-264 KY-289 another Kyma in the runtime keeps definitions and agent; what is ours alone goes',
  async t => {
    const manifest = await withModule('third')
    await far.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'rt-7' } }, { fieldManager: 'kubectl' })
    const annotations = { [kymaNames.annotations.ownedBy]: 'kcp-system/other' }
    const other = { ...kymaKind, metadata: { name: 'default', namespace: 'rt-7', annotations }, spec }
    await far.create(other, { fieldManager: 'other' })
    await ground.kymaNamed('other', { spec: { remote: { namespace: 'rt-7' } } })
    await ground.access('other', runtime.kubeconfig)
    const agent = { apiVersion: 'apps/v1', kind: 'Deployment' }
    const labels = { app: 'skr-webhook' }
    const places = ['kyma-system', 'rt-7']
    for (const namespace of places)
      await far.create(
        {
          ...agent,
          metadata: { name: 'skr-webhook', namespace },
          spec: {
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'b' }] } },
          },
        },
        { fieldManager: 'other' },
      )
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' }
    await far.create({ ...role, metadata: { name: 'skr-webhook' }, rules: [] }, { fieldManager: 'other' })
    await ground.remove('third')
    await release(manifest)
    await ground.call('third')
    t.equal(await ground.read('third'), undefined)
    t.equal(await ground.copy(), undefined)
    t.equal(await inRuntime(moduleTemplateKind, 'telemetry-1.2.3'), undefined)
    for (const plural of ['kymas', 'moduletemplates', 'modulereleasemetas'])
      t.ok(await inRuntime(crdKind, `${plural}.${operator}`, ''), plural)
    const agents = await Promise.all(places.map(place => inRuntime(agent, 'skr-webhook', place)))
    t.strictSame(
      agents.map(one => one?.metadata.namespace),
      [undefined, 'rt-7'],
    )
    t.ok(await inRuntime(role, 'skr-webhook', ''), 'what is one for the whole cluster may be the other one’s')
    t.ok(await far.get({ ...kymaKind, namespace: 'rt-7', name: 'default' }))
    await client.delete({ ...kymaKind, namespace: 'kcp-system', name: 'other' }, {})
    const last = await withModule('fourth')
    const copied = { [kymaNames.annotations.ownedBy]: 'kcp-system/fourth' }
    for (const [name, annotations] of Object.entries({ mine: {}, copied }))
      await far.create(
        { ...kymaKind, metadata: { name, namespace: 'rt-7', annotations }, spec },
        { fieldManager: 'me' },
      )
    await ground.changeCopy({ metadata: { annotations: { [kymaNames.annotations.ownedBy]: 'kcp-system/nobody' } } })
    await ground.remove('fourth')
    await release(last)
    await ground.call('fourth')
    for (const [kind, place] of [
      [agent, 'kyma-system'],
      [role, ''],
    ] as const)
      t.equal(await inRuntime(kind, 'skr-webhook', place), undefined, 'the last one takes the agent along')
    const definition = await inRuntime(crdKind, `kymas.${operator}`, '')
    t.ok(
      !definition || definition.metadata.deletionTimestamp,
      'Kymas that people created there keep nothing, nor the copy of one that is gone',
    )
  },
)

t.test('KY-203 of two Kymas with one runtime the second is in Error until the first is gone', async t => {
  const modules = [{ name: 'telemetry' }]
  for (const [name, spec] of Object.entries({
    holder: {},
    rival: { modules },
    apart: { modules, remote: { namespace: 'apart' } },
  })) {
    await ground.kymaNamed(name, { spec })
    await ground.access(name, runtime.kubeconfig)
  }
  await eventually('the first is Ready', async () => {
    await ground.call('holder')
    return (await stateOf('holder')).state === 'Ready'
  })
  matches(t, await ground.call('rival'), { outcome: 'failed' })
  const taken = /^Kyma kcp-system\/holder has the same runtime and namespace/
  matches(t, await stateOf('rival'), { state: 'Error', operation: taken })
  matches(t, (await ground.read('rival'))?.status?.modules, [{ name: 'telemetry', state: 'Error', message: taken }])
  t.strictSame(await ground.manifests('rival'), [])
  await ground.call('apart')
  for (const manifest of await ground.manifests('apart')) await ground.installed(manifest)
  await eventually('who has a namespace of its own works', async () => {
    for (const name of ['apart', 'holder']) await ground.call(name)
    return (await stateOf('apart')).state === 'Ready' && (await stateOf('holder')).state === 'Ready'
  })
  matches(t, (await ground.read('apart'))?.status?.modules, [{ name: 'telemetry', state: 'Ready' }])
  t.strictSame((await ground.read('holder'))?.status?.modules, [], 'a module of the other is none of its own')
  await ground.remove('apart')
  await ground.call('apart')
  t.strictSame([await ground.read('apart'), await inRuntime(kymaKind, 'default', 'apart')], [undefined, undefined])
  const ownedBy = kymaNames.annotations.ownedBy
  const noted = async () => (await ground.copy())?.metadata.annotations?.[ownedBy]
  t.equal(await noted(), 'kcp-system/holder')
  await ground.kymaNamed('elsewhere')
  await ground.access('elsewhere', ground.controlPlane.kubeconfig)
  for (const forged of ['kcp-system/elsewhere', 'kcp-system/nobody', 'kube-system/rival', 'x/y/z', '']) {
    await ground.changeCopy({ metadata: { annotations: { [ownedBy]: forged } } })
    await ground.call('holder')
    t.equal(await noted(), 'kcp-system/holder', `whoever owns the runtime may write ${forged}`)
  }
  await ground.remove('rival')
  await ground.call('rival')
  t.equal(await ground.read('rival'), undefined, 'it goes and takes nothing with it')
  t.equal(await noted(), 'kcp-system/holder')
  await ground.kymaNamed('rival')
  await ground.remove('holder')
  await ground.call('holder')
  await eventually('the second takes its place', async () => {
    await ground.call('rival')
    return (await stateOf('rival')).state === 'Ready'
  })
  t.equal(await noted(), 'kcp-system/rival')
  await ground.remove('rival')
  await ground.call('rival')
})

t.test('KY-13 without an access Secret the Kyma and its modules are in Error, with one it recovers', async t => {
  await ground.kymaNamed('lonely', { spec: { modules: [{ name: 'telemetry' }] } })
  matches(t, await ground.call('lonely'), { outcome: 'failed', requeueAfterSeconds: 5 })
  const { status } = (await ground.read('lonely')) ?? {}
  matches(t, status, { state: 'Error', lastOperation: { operation: /access secret not found/ } })
  matches(t, status?.modules, [{ name: 'telemetry', state: 'Error', message: /access secret not found/ }])
  t.strictSame(
    status?.conditions?.map(({ type, status }) => `${type} ${status}`),
    ['Modules Unknown', 'ModuleCatalog Unknown', 'CRDsSync Unknown'],
  )
  t.strictSame(await ground.manifests('lonely'), [])
  await ground.access('lonely', runtime.kubeconfig)
  await ground.call('lonely')
  matches(t, await ground.read('lonely'), { status: { state: 'Processing', modules: [{ state: 'Processing' }] } })
})

t.test('KY-14 with two access Secrets neither is used, until one of them is gone', async t => {
  await ground.access('another', runtime.kubeconfig, 'lonely')
  requests.length = 0
  matches(t, await ground.call('lonely'), { outcome: 'stalled', reason: /more than one secret found/ })
  t.notOk(requests.some(request => request.startsWith('there')))
  matches(t, await stateOf('lonely'), { state: 'Error', operation: /more than one secret found/ })
  await client.delete({ apiVersion: 'v1', kind: 'Secret', namespace: 'kcp-system', name: 'another' }, {})
  // A list may show the Secret for a moment; the event of its deletion is what calls then.
  await eventually('its deletion is seen', async () => {
    await ground.call('lonely')
    return (await stateOf('lonely'))?.state !== 'Error'
  })
  matches(t, await ground.call('lonely'), { outcome: 'waiting', reason: /all modules to become ready/ })
  matches(t, await stateOf('lonely'), { state: 'Processing' })
})

const secretRef = { apiVersion: 'v1', kind: 'Secret', namespace: 'kcp-system', name: 'lonely' }
const changeSecret = (data: Record<string, string | null>, name = 'lonely') =>
  client.patch({ ...secretRef, name }, { type: 'merge', body: { data } }, { fieldManager: 'person' })
const encoded = (text: string) => Buffer.from(text).toString('base64')

t.test('KY-15 an access Secret that cannot be used is named with its fault, and nothing of it is told', async t => {
  const canary = 'c4n4ry'
  const logged: string[] = []
  const note = (...parts: unknown[]) => void logged.push(inspect(parts, { depth: 9 }))
  const log = { debug: note, info: note, warn: note, error: note }
  const faults: readonly [RegExp, Record<string, string | null>][] = [
    [/has no key config/, { config: null, other: encoded(canary) }],
    [/is not valid YAML/, { config: encoded(`a: [${canary}`), other: null }],
    [
      /would run a program/,
      { config: encoded(runtime.kubeconfig.replace(/^( *)user:$/m, `$&\n$1  exec: { command: ${canary} }`)) },
    ],
  ]
  for (const [fault, data] of faults) {
    await changeSecret(data)
    const outcome = await ground.callOf(kymaFunction as ReconcileFunction, 'lonely', { log })
    matches(t, outcome, { outcome: 'stalled', reason: fault })
    matches(t, await stateOf('lonely'), { state: 'Error', operation: fault })
    t.ok(
      logged.some(line => fault.test(line)),
      `the log tells it: ${fault}`,
    )
  }
  const everything = JSON.stringify([await ground.read('lonely'), await ground.events('lonely'), logged])
  t.notOk(everything.includes(canary))
})

t.test('KY-196 a kubeconfig that leads to an inner address is refused by its name, and nothing is dialled', async t => {
  for (const host of ['[::1]', '169.254.169.254', 'localhost']) {
    await changeSecret({ config: encoded(runtime.kubeconfig.replace('127.0.0.1', host)) })
    requests.length = 0
    const named = host.replaceAll(/[[\]]/g, '')
    matches(t, await ground.call('lonely'), { outcome: 'stalled' })
    t.ok((await stateOf('lonely')).operation?.includes(named), named)
    t.notOk(requests.some(request => request.startsWith('there')))
  }
})

t.test('KY-196 a name that leads to an inner address is refused at the dial, and named', async t => {
  resolvesToLoopback(t, 'inside.example')
  await changeSecret({ config: encoded(runtime.kubeconfig.replace('127.0.0.1', 'inside.example')) })
  matches(t, await ground.call('lonely'), { outcome: 'stalled' })
  matches(t, await stateOf('lonely'), { state: 'Error', operation: /loopback.*: inside\.example$/ })
})

t.test('KY-17 new credentials in the access Secret count from the next call on', async t => {
  await changeSecret({ config: encoded(ground.revoked) })
  matches(t, await ground.call('lonely'), { outcome: 'failed' })
  matches(t, await stateOf('lonely'), { state: 'Error', operation: /the runtime cannot be read/ })
  await changeSecret({ config: encoded(runtime.kubeconfig) })
  await ground.call('lonely')
  matches(t, await stateOf('lonely'), { state: 'Processing' })
})

/** Runtimes in trouble, each as a kubeconfig that leads there, and what the Kyma says of it. */
const troubles = async (): Promise<readonly [string, RegExp, string][]> => {
  const [hanging, unauthorized, forbidden] = await Promise.all([
    behindKubeconfig(t, () => undefined),
    behindKubeconfig(t, refusing(401, 'Unauthorized')),
    behindKubeconfig(t, refusing(403, 'Forbidden')),
  ])
  const authority = await newAuthority('expired')
  const expired = await hostileApiServer(
    t,
    () => undefined,
    await authority.serving({ ip: ['127.0.0.1'], days: -0.02 }),
  )
  const caData = base64(authority.certificate)
  const [closed = 0] = await freePorts(1)
  return [
    ['hangs', /did not answer|no answer|silent|timeout/i, hanging.kubeconfig],
    ['refuses connections', /ECONNREFUSED/, kubeconfig({ url: `https://127.0.0.1:${closed}`, caData }, { token: 'x' })],
    ['answers 401', /401|no, 401|Unauthorized/, unauthorized.kubeconfig],
    ['answers 403', /403|no, 403|Forbidden/, forbidden.kubeconfig],
    ['has an expired certificate', /CERT_HAS_EXPIRED/, kubeconfig({ url: expired.url, caData }, { token: 'x' })],
  ]
}

const refusing =
  (code: number, reason: string): Trick =>
  (_, response) => {
    response.writeHead(code, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ kind: 'Status', status: 'Failure', code, reason, message: `no, ${code}` }))
  }

t.test('KY-16 RE-16 a runtime in trouble makes its own Kyma and modules Error, and nobody else', async t => {
  const all = await troubles()
  for (const [number, [what, , access]] of all.entries()) {
    await ground.kymaNamed(`troubled-${number}`, { spec: { modules: [{ name: 'telemetry' }] } })
    await ground.access(`troubled-${number}`, access)
    t.comment(what)
  }
  const [well, ...outcomes] = await Promise.all([
    ground.call('lonely'),
    ...all.map((_, number) => ground.call(`troubled-${number}`, { clusters: ground.impatient })),
  ])
  matches(t, well, { outcome: 'waiting', reason: 'waiting for all modules to become ready' })
  for (const [number, [what, fault]] of all.entries()) {
    matches(t, outcomes[number], { outcome: 'failed', requeueAfterSeconds: 5 }, what)
    const { status } = (await ground.read(`troubled-${number}`)) ?? {}
    matches(t, status, { state: 'Error', lastOperation: { operation: fault } }, what)
    matches(t, status?.modules, [{ name: 'telemetry', state: 'Error', message: fault }], what)
    t.ok(
      status?.conditions?.every(({ status }) => status === 'Unknown'),
      what,
    )
    await client.delete({ ...secretRef, name: `troubled-${number}` }, {})
  }
})

t.test('KY-16 a runtime that stays in trouble is tried again after 5 to 30 seconds', async t => {
  await changeSecret({ config: encoded(ground.revoked) })
  const began = Math.floor(Date.now() / 1_000) * 1_000
  const after = (seconds: number) => ({ now: () => new Date(began + seconds * 1_000) })
  const again = async (seconds: number) => (await ground.call('lonely', after(seconds))).requeueAfterSeconds
  t.strictSame([await again(0), await again(12), await again(600)], [5, 12, 30])
  await changeSecret({ config: encoded(runtime.kubeconfig) })
  matches(t, await ground.call('lonely'), { outcome: 'waiting' }, 'the runtime is read again')
})

t.test(
  'KY-11 KY-189 a Kyma labelled skip-reconciliation is not written, nor is its copy; its deletion is carried out',
  async t => {
    const label = kymaNames.labels.skipReconciliation
    await ground.kymaNamed('skipped', {
      metadata: { labels: { [label]: 'True' } },
      spec: { modules: [{ name: 'telemetry' }], remote: { namespace: 'rt-8' } },
    })
    await ground.access('skipped', runtime.kubeconfig)
    requests.length = 0
    t.strictSame(await ground.call('skipped'), { outcome: 'settled' })
    t.strictSame(requests, ['here get'])
    await ground.change('skipped', { metadata: { labels: { [label]: null } } })
    await ground.call('skipped')
    matches(t, await ground.manifests('skipped'), [{ kind: 'Manifest' }], 'it catches up at once')
    await ground.change('skipped', { metadata: { labels: { [label]: 'true' } } })
    await ground.remove('skipped')
    await ground.call('skipped')
    t.equal(await ground.read('skipped'), undefined)
    t.strictSame(await ground.manifests('skipped'), [])
  },
)

t.test('KY-83 KY-82 a Kyma whose runtime is away stays and says why; without access Secret it goes', async t => {
  const [manifest] = await ground.manifests('lonely')
  await changeSecret({ config: encoded(ground.revoked) })
  await ground.remove('lonely')
  matches(t, await ground.call('lonely'), { outcome: 'waiting' })
  matches(t, await stateOf('lonely'), { state: 'Deleting', operation: /the runtime cannot be read/ })
  t.equal((await ground.manifests('lonely')).length, 1, 'no step is skipped')
  await client.delete(secretRef, {})
  await ground.call('lonely')
  t.equal(await ground.read('lonely'), undefined)
  t.equal(
    manifest && (await client.get({ ...manifestKind, namespace: 'kcp-system', name: manifest.metadata.name })),
    undefined,
  )
})

t.test('KY-18 an access Secret may lead to the control plane itself: its definitions and other Kymas stay', async t => {
  const crd = { ...crdKind, namespace: '', name: `kymas.${operator}` }
  const before = await client.get(crd)
  await ground.kymaNamed('bystander', { spec: { remote: { enabled: false } } })
  await ground.kymaNamed('at-home', { spec: { modules: [{ name: 'telemetry' }] } })
  await ground.access('at-home', ground.controlPlane.kubeconfig)
  await ground.call('at-home')
  const [manifest] = await ground.manifests('at-home')
  if (manifest) await ground.installed(manifest)
  matches(t, await ground.call('at-home'), { outcome: 'settled' })
  const copyHere = { ...ground.copyRef }
  matches(t, await client.get(copyHere), {
    status: { state: 'Ready', modules: [{ name: 'telemetry', state: 'Ready' }] },
  })
  const entry = { ...moduleTemplateKind, namespace: 'kyma-system', name: 'telemetry-1.2.3' }
  t.ok(await client.get(entry))
  await ground.remove('at-home')
  await ground.call('at-home')
  t.equal(await ground.read('at-home'), undefined)
  t.equal(await client.get(copyHere), undefined)
  t.equal(await client.get(entry), undefined)
  t.strictSame(await client.get(crd), before, 'neither deleted nor written')
  t.ok(await ground.read('bystander'))
  t.ok(await client.get({ ...moduleTemplateKind, namespace: 'kcp-system', name: 'telemetry-1.2.3' }))
})

t.test('KY-85 certificate and Secret of a Kyma go with it, also when the Kyma is already gone', async t => {
  const kinds = [
    { group: 'cert-manager.io', version: 'v1' },
    { group: 'cert.gardener.cloud', version: 'v1alpha1' },
  ]
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  for (const { group, version } of kinds)
    await define(client, {
      ...crdKind,
      metadata: { name: `certificates.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind: 'Certificate', plural: 'certificates' },
        versions: [{ name: version, served: true, storage: true, schema }],
      },
    })
  const ours = { [kymaNames.labels.purpose]: 'klm-watcher-cert-manager' }
  const ofKyma = (name: string, labels: Record<string, string> = ours): readonly KubeObject[] => {
    const metadata = { name: `${name}-webhook-tls`, namespace: 'istio-system', labels }
    const certificates = kinds.map(({ group, version }) => ({
      apiVersion: `${group}/${version}`,
      kind: 'Certificate',
      metadata,
    }))
    return [{ apiVersion: 'v1', kind: 'Secret', metadata }, ...certificates]
  }
  /** The Go operator gives labels to the Secret alone. */
  const ofGoOperator = (name: string): readonly KubeObject[] =>
    ofKyma(name).map(object => {
      const spec = object.apiVersion.includes('gardener')
        ? { secretLabels: ours }
        : { secretTemplate: { labels: ours } }
      const { labels: _, ...metadata } = object.metadata
      return object.kind === 'Secret' ? object : { ...object, metadata, spec }
    })
  const left = async (name: string) =>
    (await Promise.all(ofKyma(name).map(object => client.get(refOf(object))))).filter(object => object).length
  for (const name of ['bystander', 'long-gone', 'another'])
    for (const object of ofKyma(name)) await ground.create(object)
  await ground.call('bystander')
  await ground.remove('bystander')
  await ground.call('bystander')
  t.ok((await ground.events('bystander')).includes('Normal DeleteCertificateSetup: Success'))
  t.strictSame(await ground.call('long-gone'), { outcome: 'settled' })
  t.strictSame([await left('bystander'), await left('long-gone'), await left('another')], [0, 0, 3])

  t.test('KY-334 what the Go operator made goes, too', async t => {
    for (const object of ofGoOperator('of-go')) await ground.create(object)
    t.strictSame(await ground.call('of-go'), { outcome: 'settled' })
    t.equal(await left('of-go'), 0)
  })

  t.test('KY-226 what merely bears that name stays', async t => {
    for (const object of ofKyma('shop', { app: 'shop' })) await ground.create(object)
    t.strictSame(await ground.call('shop'), { outcome: 'settled' })
    t.equal(await left('shop'), 3)
  })
})
