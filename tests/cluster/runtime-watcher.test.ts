// The agent as it is built, in a runtime with a real API server: asked for reviews over TLS, watching with the rights of its own account,
// telling a control plane over mutual TLS.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import type { Agent } from '../../functions/kyma/desired/agent.ts'
import { agentObjects } from '../../functions/kyma/desired/agent-objects.ts'
import { kymaCrds } from '../../shared/api/kyma/crds.ts'
import { kymaKind } from '../../shared/api/kyma.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { encodedText } from '../../shared/core/objects/secret-text.ts'
import { newAuthority } from '../harness/clients/certificates.ts'
import { ownControlPlane } from '../harness/clusters/cluster.ts'
import { clientTo } from '../harness/clusters/cluster-client.ts'
import { serviceAccountKubeconfig } from '../harness/clusters/service-account.ts'
import { define } from '../harness/clusters/test-definitions.ts'
import { rejects } from '../harness/matches.ts'
import { startLifelined } from '../harness/processes/bound-processes.ts'
import { freePorts } from '../harness/processes/ports.ts'
import { testFolder } from '../harness/test-folder.ts'
import { eventually, until } from '../harness/until.ts'
import { kyma, watcher } from '../make/kyma/kyma.ts'
import { agentNames, type ControlPlaneStub, controlPlaneStub } from '../shared/agent/runtime.ts'

const root = join(import.meta.dirname, '..', '..')
const namespace = 'kyma-system'
const folder = testFolder(t)
await promisify(execFile)('npm', ['run', 'build', '--', '--into', join(folder, 'dist')], { cwd: root })

const cluster = await ownControlPlane(t)
const people = clientTo(t, cluster)
const put = (object: KubeObject) => people.apply(object, { fieldManager: 'person', force: true })
for (const definition of kymaCrds()) await define(people, definition)
await put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })

const authority = await newAuthority('klm-watcher')
const own = await authority.serving(agentNames)
const agent: Agent = {
  namespace,
  image: 'espalier',
  limits: { cpu: '100m', memory: '200Mi' },
  eventAddress: '127.0.0.1:1',
  watchers: [watcher({ spec: { labelsToWatch: { 'watched-by': 'kyma' } } })],
  certificate: {
    'ca.crt': encodedText(authority.certificate),
    'tls.crt': encodedText(own.certificate),
    'tls.key': encodedText(own.key),
  },
}

/** All objects of the agent. The test stands in for Service and Pod: the API server reaches the program by its port. */
const install = async (webhookPort: number, certificate = agent.certificate): Promise<void> => {
  for (const object of agentObjects({ ...agent, certificate }))
    await put(object.kind === config ? byUrl(object, webhookPort) : object)
}

const config = 'ValidatingWebhookConfiguration'

const byUrl = (configuration: KubeObject, port: number): KubeObject => ({
  ...configuration,
  webhooks: (configuration.webhooks as Entry[]).map(({ clientConfig: { service, caBundle }, ...entry }) => ({
    ...entry,
    clientConfig: { caBundle, url: `https://127.0.0.1:${port}${service.path}` },
  })),
})

type Entry = { clientConfig: { service: { path: string }; caBundle: string } }

const files = { CA_CERT: authority.certificate, TLS_CERT: own.certificate, TLS_KEY: own.key }

/** Of the programs that were started. */
const ports: number[] = []

/** Resolves when the program listens; its account has the rights that the objects give it. */
const started = async (t: Test, sources: string): Promise<ControlPlaneStub> => {
  const stub = await controlPlaneStub(t, authority)
  const [webhook = 0] = await freePorts(1)
  await install(webhook)
  ports.push(webhook)
  const kubeconfig = join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, await serviceAccountKubeconfig(cluster, { namespace, name: 'skr-webhook' }))
  const paths = Object.entries(files).map(([name, text]) => {
    writeFileSync(join(folder, name), text)
    return [name, join(folder, name)]
  })
  const process = startLifelined({
    program: globalThis.process.execPath,
    args: [join(folder, 'dist', 'runtime-watcher.mjs')],
    env: {
      ...Object.fromEntries(paths),
      PATH: globalThis.process.env.PATH,
      KUBECONFIG: kubeconfig,
      EVENT_SOURCES: sources,
      WEBHOOK_PORT: String(webhook),
      METRICS_PORT: '0',
      KCP_ADDR: `127.0.0.1:${stub.port}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => process.end('SIGTERM'))
  const { stdout } = process.child
  if (stdout === null) throw new Error('it says nothing')
  const lines = createInterface({ input: stdout })
  const listening = Promise.withResolvers<void>()
  lines.on('line', line => line.includes('"listening"') && listening.resolve())
  await Promise.race([
    listening.promise,
    process.ended.then(code => Promise.reject(new Error(`it ended with ${code}`))),
  ])
  await eventually('the first full sync is heard', async () => names(stub).includes('everything'))
  return stub
}

const names = ({ heard }: ControlPlaneStub): string[] =>
  heard.map(({ event }) => (event.fullSync ? 'everything' : event.watched.Name))

const labelled = (name: string, change: object = {}): KubeObject => {
  const { apiVersion, kind, spec } = kyma()
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, labels: { 'watched-by': 'kyma' } },
    spec: { ...spec, ...change },
  }
}

const hears = (stub: ControlPlaneStub, name: string): Promise<void> =>
  eventually(`${name} is heard`, async () => names(stub).includes(name))

t.test(
  'KY-170 KY-176 a real API server asks for reviews: each change is told at once and again when it is committed',
  async t => {
    const stub = await started(t, 'admission')
    await put(labelled('reviewed'))
    await until(
      () => names(stub).filter(name => name === 'reviewed').length,
      count => count === 2,
    )
    const heard = stub.heard.filter(({ event }) => event.watched.Name === 'reviewed')
    const gvk = { group: 'operator.kyma-project.io', version: 'v1beta2', kind: 'Kyma' }
    const told = {
      event: { watched: { Namespace: namespace, Name: 'reviewed' }, watchedGvk: gvk },
      caller: 'runtime-7',
    }
    t.strictSame(
      heard,
      [told, told].map(one => ({ path: '/v2/lifecycle-manager/event', ...one })),
    )
    await put({ ...labelled('not-labelled'), metadata: { name: 'not-labelled', namespace } })
    await put(labelled('last'))
    await hears(stub, 'last')
    t.notOk(names(stub).includes('not-labelled'))
  },
)

t.test(
  'KY-311 an API server asks no agent with the key of another runtime, though the same authority has signed for both',
  async t => {
    const stub = await started(t, 'admission')
    const [port = 0] = ports.slice(-1)
    const other = await authority.serving(agentNames)
    await install(port, { ...agent.certificate, 'tls.crt': encodedText(other.certificate) })
    await put(labelled('of-another'))
    await install(port)
    await put(labelled('own'))
    await hears(stub, 'own')
    t.notOk(names(stub).includes('of-another'))
  },
)

t.test(
  'KY-176 the account of the agent may watch what its Watchers name: committed changes are told once, rejected ones never',
  async t => {
    const stub = await started(t, 'watch,admission')
    stub.heard.length = 0
    await put(labelled('watched'))
    await hears(stub, 'watched')
    await rejects(t, () => put(labelled('refused', { channel: 'NO CHANNEL' })), { code: 422 })
    await people.apply(labelled('tried'), { fieldManager: 'person', dryRun: true })
    const told = stub.heard.length
    await put(labelled('watched', { channel: 'fast' }))
    await until(
      () => stub.heard.length,
      count => count > told,
    )
    await people.delete(refFor('watched'), {})
    await put(labelled('last-watched'))
    await hears(stub, 'last-watched')
    t.strictSame(names(stub), ['watched', 'watched', 'watched', 'last-watched'])
  },
)

const refFor = (name: string) => ({ ...kymaKind, namespace, name })
