// Events of many runtimes on their way to calls: agents post them over mutual TLS, a host of runtime-events hears them, the relay calls a
// host that does nothing. Beside it, in turns, the same agents post to a bare server that parses and answers.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { FunctionSettings } from '../../shared/api/serverless.ts'
import { readLandscape } from '../../shared/deploy/landscape/landscape.ts'
import { newAuthority } from '../../tests/harness/certificates.ts'
import { base64 } from '../../tests/harness/kubeconfig.ts'
import { freePorts } from '../../tests/harness/ports.ts'
import { kyma, moduleManifest, watcher } from '../../tests/make/kyma.ts'
import { inParallel } from '../measure/load.ts'
import { cpuSeconds } from '../measure/process.ts'
import { firstAnswer, startProduct } from '../measure/product.ts'
import { progress } from '../measure/report.ts'
import { startWorker } from '../measure/worker.ts'
import type { BareEventServer } from '../programs/bare-event-server.ts'
import type { Agent, EventWriter, Reported } from '../programs/event-writer.ts'
import type { FunctionHost } from '../programs/function-host.ts'
import { accountOf, collectionOf, type Stage, secret } from './stage.ts'

export type Events = {
  readonly ours: Reported
  readonly bare: Reported
  /** For an event; of ours with the relay. */
  readonly cpuMilliseconds: { readonly host: number; readonly relay: number; readonly bare: number }
  /** Of the runtimes, those that were not called after their last event. */
  readonly lost: number
}

export const load = { runtimes: 100, perSecond: 500 }
const slices = 12
const runtimeName = (n: number): string => `reports-${n}`

export const events = async (stage: Stage, seconds: number): Promise<Events> => {
  progress(`making ${load.runtimes} runtimes that report`)
  const authority = await newAuthority('runtimes')
  const agents = await agentsOf(stage, authority)
  const serving = await authority.serving({ dns: ['localhost'], ip: ['127.0.0.1'] })
  await createGatewaySecret(stage, { ...serving, ca: authority.certificate })
  const called = startWorker<FunctionHost>('function-host.ts')
  const bare = startWorker<BareEventServer>('bare-event-server.ts')
  const writer = startWorker<EventWriter>('event-writer.ts')
  const ca = authority.certificate
  const [port, barePort] = await Promise.all([
    startListening(stage, `http://127.0.0.1:${await called.ask('begin')}`),
    bare.ask('begin', { cert: serving.certificate, key: serving.key, ca }),
  ])
  const at = (where: number) => ({ url: `https://127.0.0.1:${where}`, ca, path: '/v2/lifecycle-manager/event' })
  await writer.ask('begin', agents, { ours: at(port.number), bare: at(barePort) })
  const pace = { perSecond: load.perSecond, seconds: seconds / slices }
  for (const target of ['ours', 'bare']) await writer.ask('write', target, pace, true)
  const cpu = () => ({ host: cpuSeconds(port.host), relay: cpuSeconds(port.relay), bare: cpuSeconds(bare.pid) })
  const before = cpu()
  for (let slice = 0; slice < slices; slice++) {
    progress(`events, ${slice + 1} of ${slices}`)
    await writer.ask('write', 'bare', pace)
    await writer.ask('write', 'ours', pace)
  }
  const lost = await lostOf(called.ask, await writer.ask('lastSent'))
  const told = { ours: await writer.ask('told', 'ours'), bare: await writer.ask('told', 'bare'), lost }
  const after = cpu()
  const spent = (program: keyof typeof after) => ((after[program] - before[program]) * 1_000) / told.ours.events
  const cpuMilliseconds = { host: spent('host'), relay: spent('relay'), bare: spent('bare') }
  await Promise.all([port.end(), called.end(), bare.end(), writer.end()])
  return { ...told, cpuMilliseconds }
}

const settleSeconds = 10

/** A runtime counts as lost when nothing was called for it after its last event, some seconds later still. */
const lostOf = async (
  ask: ReturnType<typeof startWorker<FunctionHost>>['ask'],
  lastSent: ReadonlyMap<string, number>,
): Promise<number> => {
  for (const until = Date.now() + settleSeconds * 1_000; ; ) {
    const { lastCalls } = await ask('seen')
    const lost = [...lastSent].filter(([name, sent]) => (lastCalls.get(name) ?? 0) < sent).length
    if (lost === 0 || Date.now() > until) return lost
  }
}

type Authority = Awaited<ReturnType<typeof newAuthority>>

/** Each with a Kyma and a Manifest, which its events are about. */
const agentsOf = async ({ plane: { api } }: Stage, authority: Authority): Promise<Agent[]> => {
  const agents: Agent[] = []
  await api.call('POST', collectionOf('watchers'), { body: watcher() })
  await inParallel(load.runtimes, 8, async n => {
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

const createGatewaySecret = async ({ plane: { api } }: Stage, { certificate, key, ca }: Serving): Promise<void> => {
  const data = { 'tls.crt': base64(certificate), 'tls.key': base64(key), 'ca.crt': base64(ca) }
  const body = { metadata: { name: 'klm-istio-gateway' }, data }
  await api.call('POST', '/api/v1/namespaces/istio-system/secrets', { body })
}

const startListening = async ({ plane }: Stage, functionHostUrl: string) => {
  const [hostPort, callbackPort, relayPort] = (await freePorts(3)) as [number, number, number]
  const [hostUrl, relayUrl] = [`http://127.0.0.1:${hostPort}`, `http://127.0.0.1:${relayPort}`]
  const environment = { ESPALIER_CALLER_PROOF: 'secret', ESPALIER_CALLER_SECRET: secret, ESPALIER_LOG_LEVEL: 'warn' }
  const common = { environment, apiServer: plane.url, dir: plane.dir }
  const landscape = `--landscape=${landscapeIn(plane.dir)}`
  const relay = startProduct({
    ...{ ...common, program: 'relay', mounted: await accountOf(plane, 'relay') },
    flags: [landscape, `--listen=127.0.0.1:${relayPort}`, `--address=${relayUrl}`, `--host=${functionHostUrl}`],
  })
  await firstAnswer(`${relayUrl}/readyz`, relay)
  const host = startProduct({
    ...{ ...common, program: 'host', mounted: await accountOf(plane, 'host') },
    flags: [
      ...[landscape, '--functions=runtime-events', `--listen=127.0.0.1:${hostPort}`, '--probes-listen=', '--tls=off'],
      ...[`--callbacks-listen=127.0.0.1:${callbackPort}`, `--relay=${relayUrl}`, '--drain-seconds=0'],
    ],
  })
  await firstAnswer(`${hostUrl}/metrics`, host)
  const end = async () => {
    await Promise.all([host.end('SIGTERM'), relay.end('SIGTERM')])
  }
  return { number: callbackPort, host: host.pid, relay: relay.pid, end }
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
  ...{ handler: `functions/${name}/index.${name}`, description: 'Is called', timeout: 30, concurrency: 10 },
  ...{ memorySize: 64, failureBaseSeconds: 1, failureMaxSeconds: 60 },
  access: [{ apiGroups: ['operator.kyma-project.io'], resources: [`${name}s`], verbs: ['get', 'list', 'watch'] }],
  events: [{ watch: { apiVersion: 'operator.kyma-project.io/v1beta2', kind, on: ['generation'], map: 'self' } }],
})
