// What the benchmark of callbacks stands on: a real API server with Kymas of runtimes, a host of runtime-events, the relay, which calls a
// host that does nothing, and beside them a bare server. The agents of the runtimes have certificates of one authority.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { FunctionSettings } from '../../shared/api/serverless.ts'
import { readLandscape } from '../../shared/deploy/landscape/landscape.ts'
import { newAuthority } from '../../tests/harness/clients/certificates.ts'
import { base64 } from '../../tests/harness/clients/kubeconfig.ts'
import { freePorts } from '../../tests/harness/processes/ports.ts'
import { kyma, moduleManifest, watcher } from '../../tests/make/kyma/kyma.ts'
import { accountOf, collectionOf, defineKinds, secret } from '../kyma/stage.ts'
import { giveOneProcessor, leaveOneProcessor } from '../measure/cores.ts'
import { inParallel } from '../measure/load.ts'
import { cpuSeconds } from '../measure/process.ts'
import { buildProduct, firstAnswer, startProduct } from '../measure/product.ts'
import { onRealCluster, type RealCluster } from '../measure/real-cluster.ts'
import { startWorker, type Worker } from '../measure/worker.ts'
import type { BareEventServer } from '../programs/bare-event-server.ts'
import type { Agent, EventWriter, Target } from '../programs/event-writer.ts'
import type { FunctionHost } from '../programs/function-host.ts'
import type { NoiseWriter } from '../programs/noise-writer.ts'

export type Listeners = {
  readonly agents: readonly Agent[]
  /** Where the agents report. */
  readonly targets: { readonly ours: Target; readonly bare: Target }
  /** The host that the relay calls. */
  readonly called: Worker<FunctionHost>
  /** A process that reports for these agents. The host takes 512 connections; the caller ends what it needs no more. */
  writer(agents: readonly Agent[], connections: number): Promise<Worker<EventWriter>>
  /** Likewise for the one that is noisy. */
  noiseWriter(agent: Agent, connections: number): Promise<Worker<NoiseWriter>>
  /** The time that each program has computed so far. */
  cpu(): { readonly host: number; readonly relay: number; readonly bare: number }
}

const runtimeName = (n: number): string => `reports-${n}`

/** Does the work with so many runtimes. */
export const onListeners = <T>(runtimes: number, work: (listeners: Listeners) => Promise<T>): Promise<T> => {
  leaveOneProcessor()
  return onRealCluster(async plane => {
    await buildProduct()
    await defineKinds(plane.api)
    const authority = await newAuthority('runtimes')
    const agents = await agentsOf(plane, runtimes, authority)
    const serving = await authority.serving({ dns: ['localhost'], ip: ['127.0.0.1'] })
    const ca = authority.certificate
    await createGatewaySecret(plane, { ...serving, ca })
    const called = startWorker<FunctionHost>('function-host.ts')
    const bare = startWorker<BareEventServer>('bare-event-server.ts')
    const writers = new Set<{ end(): Promise<void> }>()
    const product = await startListening(plane, `http://127.0.0.1:${await called.ask('begin')}`)
    for (const pid of [product.host, bare.pid]) giveOneProcessor(pid)
    const at = (port: number): Target => ({ url: `https://127.0.0.1:${port}`, ca, path: '/v2/lifecycle-manager/event' })
    const barePort = await bare.ask('begin', { cert: serving.certificate, key: serving.key, ca })
    const targets = { ours: at(product.port), bare: at(barePort) }
    const writer = async (some: readonly Agent[], connections: number) => {
      const begun = startWorker<EventWriter>('event-writer.ts')
      writers.add(begun)
      await begun.ask('begin', some, targets, connections)
      const end = (): Promise<void> => {
        writers.delete(begun)
        return begun.end()
      }
      return { ...begun, end }
    }
    const noiseWriter = async (agent: Agent, connections: number) => {
      const begun = startWorker<NoiseWriter>('noise-writer.ts')
      writers.add(begun)
      await begun.ask('begin', agent, targets, connections)
      return begun
    }
    const cpu = () => ({
      host: cpuSeconds(product.host),
      relay: cpuSeconds(product.relay),
      bare: cpuSeconds(bare.pid),
    })
    try {
      return await work({ agents, targets, called, writer, noiseWriter, cpu })
    } finally {
      await Promise.all([product.end(), ...[called, bare, ...writers].map(each => each.end())])
    }
  })
}

type Authority = Awaited<ReturnType<typeof newAuthority>>

/** Each with a Kyma and a Manifest, which its events are about. */
const agentsOf = async ({ api }: RealCluster, count: number, authority: Authority): Promise<Agent[]> => {
  const agents: Agent[] = []
  await api.call('POST', collectionOf('watchers'), { body: watcher() })
  await inParallel(count, 8, async n => {
    const name = runtimeName(n)
    const labels = { 'kyma-project.io/runtime-id': name }
    await api.call('POST', collectionOf('kymas'), { body: kyma({ metadata: { name: `kyma-${name}`, labels } }) })
    const resource = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine', namespace: 'default' } }
    const owned = { name, labels: { 'operator.kyma-project.io/kyma-name': `kyma-${name}` } }
    await api.call('POST', collectionOf('manifests'), { body: moduleManifest({ metadata: owned, spec: { resource } }) })
    const event = {
      watched: { Namespace: 'default', Name: 'mine' },
      watchedGvk: { group: '', version: 'v1', kind: 'ConfigMap' },
    }
    agents.push({ name, event, ...(await authority.client({ user: name })) })
  })
  return agents
}

type Serving = { readonly certificate: string; readonly key: string; readonly ca: string }

const createGatewaySecret = async ({ api }: RealCluster, { certificate, key, ca }: Serving): Promise<void> => {
  const data = { 'tls.crt': base64(certificate), 'tls.key': base64(key), 'ca.crt': base64(ca) }
  const body = { metadata: { name: 'klm-istio-gateway' }, data }
  await api.call('POST', '/api/v1/namespaces/istio-system/secrets', { body })
}

const startListening = async (plane: RealCluster, functionHostUrl: string) => {
  const [hostPort, port, relayPort] = (await freePorts(3)) as [number, number, number]
  const [hostUrl, relayUrl] = [`http://127.0.0.1:${hostPort}`, `http://127.0.0.1:${relayPort}`]
  const environment = { ESPALIER_CALLER_PROOF: 'secret', ESPALIER_CALLER_SECRET: secret, ESPALIER_LOG_LEVEL: 'warn' }
  const common = { environment, apiServer: plane.url, dir: plane.dir }
  const landscape = `--landscape=${landscapeIn(plane.dir)}`
  const relay = startProduct({
    ...common,
    program: 'relay',
    mounted: await accountOf(plane, 'relay'),
    flags: [landscape, `--listen=127.0.0.1:${relayPort}`, `--address=${relayUrl}`, `--host=${functionHostUrl}`],
  })
  await firstAnswer(`${relayUrl}/readyz`, relay)
  const host = startProduct({
    ...common,
    program: 'host',
    mounted: await accountOf(plane, 'host'),
    flags: [
      ...[landscape, '--functions=runtime-events', `--listen=127.0.0.1:${hostPort}`, '--probes-listen=', '--tls=off'],
      ...[`--callbacks-listen=127.0.0.1:${port}`, `--relay=${relayUrl}`, '--drain-seconds=0'],
    ],
  })
  await firstAnswer(`${hostUrl}/metrics`, host)
  const end = async () => {
    await Promise.all([host.end('SIGTERM'), relay.end('SIGTERM')])
  }
  return { port, host: host.pid, relay: relay.pid, end }
}

/** The relay calls two functions of which nothing is known but their objects. */
const landscapeIn = (dir: string): string => {
  const { functions, provider, ...rest } = readLandscape('serverless.yml')
  const { remotes: _, ...withoutRemotes } = provider
  const file = join(dir, 'events.yml')
  const all = {
    'runtime-events': functions['runtime-events'],
    kyma: calledFor('Kyma', 'kyma'),
    manifest: calledFor('Manifest', 'manifest'),
  }
  writeFileSync(file, stringify({ ...rest, provider: withoutRemotes, functions: all }))
  return file
}

const calledFor = (kind: string, name: string): FunctionSettings => ({
  handler: `functions/${name}/index.${name}`,
  description: 'Is called',
  timeout: 30,
  concurrency: 10,
  memorySize: 64,
  failureBaseSeconds: 1,
  failureMaxSeconds: 60,
  access: [{ apiGroups: ['operator.kyma-project.io'], resources: [`${name}s`], verbs: ['get', 'list', 'watch'] }],
  events: [{ watch: { apiVersion: 'operator.kyma-project.io/v1beta2', kind, on: ['generation'], map: 'self' } }],
})
