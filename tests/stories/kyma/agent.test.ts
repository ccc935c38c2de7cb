// The agent that kyma keeps in a runtime, on two clusters: it is made, judged, repaired, follows the Watchers, and goes with the Kyma.
import t from 'tap'
import { agentRefs } from '../../../functions/kyma/desired/agent-objects.ts'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { moduleReleaseMetaKind, watcherKind } from '../../../shared/api/kyma.ts'
import { type KubeObject, refText } from '../../../shared/core/objects/object.ts'
import { kymaClusters } from '../../harness/kyma/kyma-clusters.ts'
import { kymaRelay } from '../../harness/kyma/kyma-relay.ts'
import { matches } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'
import { moduleReleaseMeta, moduleTemplate, watcher } from '../../make/kyma/kyma.ts'

const ground = await kymaClusters(t)
const { client, far, runtime, requests, writes } = ground
const person = { fieldManager: 'person' }
const settings = { agentImage: 'registry.example/espalier:1', eventAddress: 'listener.example:443' }
const call = (name = 'first', change: { isQuiet?: boolean; pullSecret?: string } = {}) =>
  ground.call(name, { ...settings, ...change })

const certificateOf = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: `${name}-webhook-tls`,
    namespace: kymaNames.namespaces.certificates,
    labels: { [kymaNames.labels.purpose]: 'klm-watcher-cert-manager' },
  },
  data: { 'ca.crt': 'Y2E=', 'tls.crt': 'Y2VydA==', 'tls.key': 'a2V5' },
})

const namespace = 'kyma-system'
const agentRef = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'skr-webhook' }
const secretRef = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'skr-webhook-tls' }
const configurationRef = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  namespace: '',
  name: 'skr-webhook',
}

const statusOf = async () => {
  const { state, lastOperation, conditions = [] } = (await ground.read('first'))?.status ?? {}
  const condition = conditions.find(({ type }) => type === 'SKRWebhook')
  return { state, operation: lastOperation?.operation, agent: condition?.status }
}

/** As a kubelet would report it. */
const reports = (ref: typeof agentRef, status: object) =>
  far.patch(ref, { type: 'merge', body: { status } }, { ...person, subresource: 'status' })

const entries = async (): Promise<string[]> =>
  (((await far.get(configurationRef))?.webhooks ?? []) as { name: string }[]).map(({ name }) => name)

t.test('KY-146 the first pass makes the agent; the Kyma is Ready once a replica is', async t => {
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'istio-system' } }, person)
  await client.create(watcher(), person)
  await ground.kymaNamed('first')
  await ground.access('first', runtime.kubeconfig)
  await call()
  t.strictSame(await statusOf(), { state: 'Processing', operation: 'started processing', agent: 'False' })
  t.notOk(await far.get(agentRef), 'not without a certificate')
  await client.create(certificateOf('first'), person)
  await call()
  matches(t, await far.get(agentRef), { spec: { template: { spec: { serviceAccountName: 'skr-webhook' } } } })
  matches(t, await far.get(secretRef), { data: { 'tls.key': 'a2V5' } })
  t.strictSame(await entries(), ['kcp-system.kyma-watcher.operator.kyma-project.io'])
  t.strictSame(await statusOf(), { state: 'Processing', operation: 'started processing', agent: 'False' })
  await reports(agentRef, { replicas: 1, readyReplicas: 1 })
  await call()
  t.strictSame(await statusOf(), { state: 'Ready', operation: 'kyma is ready', agent: 'True' })
})

t.test('KY-146 a further call writes nothing in either cluster', async t => {
  await call()
  requests.length = 0
  await call()
  t.strictSame(writes(), [])
})

t.test('KY-181 a quiet call for a Ready Kyma of ten modules is six reads, and any doubt is more', async t => {
  const names = Array.from({ length: 10 }, (_, n) => `module-${'abcdefghij'.charAt(n).repeat(3)}`)
  for (const name of names) {
    const component = { name: `kyma-project.io/module/${name}`, version: '1.2.3' }
    await ground.create(
      moduleTemplate({
        metadata: { name: `${name}-1.2.3` },
        spec: { moduleName: name, version: '1.2.3', descriptor: { component } },
      }),
    )
    await ground.create(moduleReleaseMeta({ metadata: { name }, spec: { moduleName: name } }))
  }
  await ground.changeCopy({ spec: { modules: names.map(name => ({ name })) } })
  await call()
  for (const manifest of await ground.manifests('first')) await ground.installed(manifest)
  await call()
  await call()
  const { state, modules } = (await ground.read('first'))?.status ?? {}
  t.strictSame([state, modules?.length], ['Ready', 10])
  const requestsOf = async (isQuiet: boolean) => {
    requests.length = 0
    matches(t, await call('first', { isQuiet }), { outcome: 'settled', requeueAfterSeconds: 300 })
    return requests.toSorted()
  }
  const fewest = ['here get', 'here list', 'here list', 'here list', 'here list', 'there get']
  t.strictSame(await requestsOf(true), fewest)
  t.ok((await requestsOf(false)).length > 30, 'everything is read for an event')
  t.strictSame(await requestsOf(true), fewest)
  const release = { ...moduleReleaseMetaKind, namespace, name: 'module-aaa' }
  const isBack = async () => (await far.get(release)) !== undefined
  const loses = () => far.delete(release, {})
  await loses()
  await requestsOf(true)
  t.notOk(await isBack(), 'nobody has told')
  await requestsOf(false)
  t.ok(await isBack(), 'an event')
  await requestsOf(true)
  const doubts: Record<string, () => Promise<unknown>> = {
    'the copy is another': () => ground.changeCopy({ metadata: { labels: { mine: 'yes' } } }),
    'the Kyma is another': () => ground.change('first', { metadata: { annotations: { mine: 'yes' } } }),
    'the catalogue is another': () => ground.create(moduleReleaseMeta({ metadata: { name: 'module-zzz' } })),
    'the runtime is reached in another way': () =>
      client.patch(
        { apiVersion: 'v1', kind: 'Secret', namespace: 'kcp-system', name: 'first' },
        { type: 'merge', body: { data: ground.secretOf('first', `# renewed\n${runtime.kubeconfig}`).data } },
        person,
      ),
  }
  for (const [what, change] of Object.entries(doubts)) {
    await loses()
    await change()
    await requestsOf(true)
    t.ok(await isBack(), what)
    t.strictSame(await requestsOf(true), fewest)
  }
  await ground.changeCopy({ spec: { modules: [] } })
  await call('first', { isQuiet: true })
  t.strictSame(await ground.manifests('first'), [], 'what the owner of the runtime wants is seen at once')
  await call()
})

t.test('KY-146 a Pod that crashes makes the Kyma an Error; it recovers with the first ready replica', async t => {
  const pod = { apiVersion: 'v1', kind: 'Pod', namespace, name: 'skr-webhook-x' }
  await reports(agentRef, { replicas: 0, readyReplicas: null })
  await far.create(
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: pod.name, namespace, labels: { app: 'skr-webhook' } },
      spec: { containers: [{ name: 'watcher', image: 'x' }], serviceAccountName: 'skr-webhook' },
    },
    person,
  )
  const waiting = { reason: 'CrashLoopBackOff', message: 'back-off' }
  const container = { name: 'watcher', image: 'x', imageID: 'x', ready: false, restartCount: 3, state: { waiting } }
  await reports(pod, { containerStatuses: [container] })
  await call()
  t.strictSame(await statusOf(), { state: 'Processing', operation: 'started processing', agent: 'False' })
  await call()
  const operation = 'the agent in the runtime does not run: Pod skr-webhook-x: CrashLoopBackOff'
  t.strictSame(await statusOf(), { state: 'Error', operation, agent: 'False' })
  await far.delete(pod, {})
  await reports(agentRef, { replicas: 1, readyReplicas: 1 })
  await call()
  t.strictSame(await statusOf(), { state: 'Ready', operation: 'kyma is ready', agent: 'True' })
})

t.test('KY-147 every object of the agent that is deleted is back after a call', async t => {
  const refs = agentRefs(namespace)
  const uids = async () => Promise.all(refs.map(async ref => (await far.get(ref))?.metadata.uid))
  const before = await uids()
  for (const ref of refs) await far.delete(ref, {})
  await call()
  const after = await uids()
  for (const [at, ref] of refs.entries()) t.ok(after[at] && after[at] !== before[at], refText(ref))
  t.strictSame(await statusOf(), { state: 'Processing', operation: 'started processing', agent: 'False' })
})

t.test(
  'KY-145 KY-147 what changes calls the Kyma: Watchers that come and go, objects of the agent that are deleted or edited',
  async t => {
    await kymaRelay(t, ground, settings)
    await client.create(watcher({ metadata: { name: 'another', finalizers: ['example.org/held'] } }), person)
    await eventually('it has an entry', async () => (await entries()).length === 2)
    await client.patch(
      { ...watcherKind, namespace: 'kcp-system', name: 'another' },
      { type: 'merge', body: { spec: { resourceToWatch: { resource: 'manifests' } } } },
      person,
    )
    await eventually('the entry follows', async () =>
      JSON.stringify((await far.get(configurationRef))?.webhooks).includes('manifests'),
    )
    await client.delete({ ...watcherKind, namespace: 'kcp-system', name: 'another' }, {})
    await eventually('its entry is gone while somebody holds it', async () => (await entries()).length === 1)
    const before = await far.get(secretRef)
    await far.delete(secretRef, {})
    await eventually(
      'the Secret is back',
      async () => ![undefined, before?.metadata.uid].includes((await far.get(secretRef))?.metadata.uid),
    )
    await far.patch(secretRef, { type: 'merge', body: { data: { 'tls.key': 'bXk=' } } }, person)
    await eventually('it holds the key', async () => {
      const { data } = (await far.get(secretRef)) as { data?: Record<string, string> }
      return data?.['tls.key'] === 'a2V5'
    })
    await far.delete(configurationRef, {})
    await eventually('the configuration is back', async () => (await entries()).length === 1)
    await far.patch(
      agentRef,
      { type: 'merge', body: { spec: { template: { spec: { priorityClassName: 'mine' } } } } },
      person,
    )
    await eventually('the Deployment is as it was', async () =>
      JSON.stringify((await far.get(agentRef))?.spec).includes('skr-webhook-priority'),
    )
    t.pass('without a poll')
  },
)
