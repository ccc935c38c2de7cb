// `npm run bench:hostile-remote [-- --quiet 50 --seconds 20]`: how soon the relay calls a function for quiet clusters of a fleet while one
// other means ill. API servers, function host and relay are processes of their own.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { stringify } from 'yaml'
import { newAuthority } from '../tests/harness/clients/certificates.ts'
import { base64, kubeconfig } from '../tests/harness/clients/kubeconfig.ts'
import type { LifelinedProcess } from '../tests/harness/processes/bound-processes.ts'
import { freePorts } from '../tests/harness/processes/ports.ts'
import { scratchFolder } from '../tests/harness/processes/scratch.ts'
import { bareApi } from './measure/bare-api.ts'
import { cpuSeconds, peakResidentMegabytes } from './measure/process.ts'
import { buildProduct, firstAnswer, startProduct } from './measure/product.ts'
import { figures, type Goal, print, progress, type Row, ratio } from './measure/report.ts'
import { startWorker, type Worker } from './measure/worker.ts'
import type { EmbeddedServer } from './programs/embedded-server.ts'
import type { FleetServers, Mischief } from './programs/fleet-servers.ts'
import type { FunctionHost } from './programs/function-host.ts'

const { values } = parseArgs({
  options: { quiet: { type: 'string', default: '50' }, seconds: { type: 'string', default: '20' } },
})
const quiet = Number(values.quiet)
const seconds = Number(values.seconds)
const perSecond = 50
const ownNamespace = 'espalier-system'
const mischiefs: readonly Mischief[] = ['floods of events', 'lists without end', 'a byte at a time']

const about = `A fleet of ${quiet} quiet clusters, each a made-up API server with one ConfigMap, and one more that means ill; the relay watches
ConfigMaps in all of them, and a function host that settles every key at once is called 10 at a time. ${perSecond} changes a second go round the
quiet clusters, ${seconds} s for each row; the delay is from the change to the call. Before each row, as long without mischief, with which it is
compared. Everything shares the cores, the hostile server too, which sends as fast as it is read.`

type Stage = {
  readonly fleet: Worker<FleetServers>
  readonly hostile: Worker<FleetServers>
  readonly host: Worker<FunctionHost>
  readonly relay: LifelinedProcess
}
type Measured = { readonly p50: number; readonly p99: number; readonly lost: number; readonly cpu: number }

/** When each was called last; after ten seconds those are missing that were not. */
const callsOf = async (host: Worker<FunctionHost>, names: readonly string[]): Promise<ReadonlyMap<string, number>> => {
  for (let looks = 0; ; looks++) {
    const { lastCalls } = await host.ask('seen')
    if (looks >= 500 || names.every(name => lastCalls.has(name))) return lastCalls
    await wait(20)
  }
}

const measured = async ({ fleet, host, relay }: Omit<Stage, 'hostile'>): Promise<Measured> => {
  const before = cpuSeconds(relay.pid)
  const delays: number[] = []
  let lost = 0
  const rounds = Math.ceil((seconds * perSecond) / quiet)
  for (let round = 0; round < rounds; round++) {
    await host.ask('forget')
    const changes = new Map<string, number>()
    for (let n = 0; n < quiet; n++) {
      changes.set(`quiet-${n}`, await fleet.ask('change', `quiet-${n}`))
      await wait(1_000 / perSecond)
    }
    const lastCalls = await callsOf(host, [...changes.keys()])
    for (const [name, at] of changes) {
      const called = lastCalls.get(name)
      if (called === undefined) lost++
      else delays.push(Math.max(0, called - at))
    }
  }
  delays.sort((a, b) => a - b)
  const at = (share: number) => delays[Math.min(delays.length - 1, Math.floor(share * delays.length))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), lost, cpu: cpuSeconds(relay.pid) - before }
}

type Compared = { readonly mischief: Mischief; readonly alone: Measured; readonly beside: Measured } & Cost
type Cost = { readonly sent: number; readonly megabytes: number }
type Parts = Omit<Stage, 'relay'> & { startRelay(): Promise<LifelinedProcess> }

/** With a fresh relay, which remembers nothing of an earlier mischief. */
const compared = async ({ fleet, hostile, host, startRelay }: Parts, mischief: Mischief): Promise<Compared> => {
  progress(`without mischief, then ${mischief}`)
  await hostile.ask('play', 'none')
  const relay = await startRelay()
  while ((await fleet.ask('watched', 'quiet-')) < quiet) await wait(100)
  await wait(2_000)
  const stage = { fleet, host, relay }
  const alone = await measured(stage)
  const sentBefore = await hostile.ask('sentMegabytes')
  await hostile.ask('play', mischief)
  const beside = await measured(stage)
  const sent = (await hostile.ask('sentMegabytes')) - sentBefore
  const megabytes = peakResidentMegabytes(relay.pid)
  await relay.end('SIGTERM')
  return { mischief, alone, beside, sent, megabytes }
}

const row = ({ mischief, alone, beside, sent, megabytes }: Compared): Row => ({
  mischief,
  'sent MB': sent,
  'p50 ms': beside.p50,
  'p50 ms without': alone.p50,
  'p99 ms': beside.p99,
  'p99 ms without': alone.p99,
  'p99 : without': ratio(beside.p99, alone.p99),
  'not called': beside.lost,
  'relay CPU s': beside.cpu,
  'without s': alone.cpu,
  'relay RSS at most MB': megabytes,
})

const landscape = {
  service: 'bench',
  provider: {
    name: 'espalier',
    namespace: ownNamespace,
    sweepSeconds: 3600,
    remotes: {
      fleet: {
        namespace: ownNamespace,
        optionalLabels: { fleet: 'yes' },
        nameLabel: 'cluster',
        kubeconfigKey: 'config',
        allowedHosts: ['127.0.0.1'],
      },
    },
  },
  functions: {
    bench: {
      handler: 'functions/bench/index.bench',
      description: 'Is called, and does nothing',
      timeout: 30,
      concurrency: 10,
      memorySize: 128,
      failureBaseSeconds: 1,
      failureMaxSeconds: 300,
      access: [
        { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'], namespaces: [ownNamespace] },
      ],
      events: [{ watch: { cluster: 'fleet', apiVersion: 'v1', kind: 'ConfigMap', on: ['any'], map: 'cluster' } }],
    },
  },
}

type Addresses = { readonly fleetUrl: string; readonly hostileUrl: string; readonly caData: string }

/** Answers its folder as a Pod would have it mounted, and its address. */
const begunPlane = async (plane: Worker<EmbeddedServer>, dir: string, addresses: Addresses) => {
  const { url, caData: planeCa, token } = await plane.ask('begin')
  const api = bareApi({ url, caData: planeCa }, { token })
  await api.call('POST', '/api/v1/namespaces', { body: { metadata: { name: ownNamespace } } })
  for (const name of ['hostile', ...Array.from({ length: quiet }, (_, n) => `quiet-${n}`)]) {
    const { fleetUrl, hostileUrl, caData } = addresses
    const url = `${name === 'hostile' ? hostileUrl : fleetUrl}/${name}`
    const text = kubeconfig({ url, caData }, { token: 'fleet' })
    const metadata = { name, labels: { fleet: 'yes', cluster: name } }
    await api.call('POST', `/api/v1/namespaces/${ownNamespace}/secrets`, {
      body: { metadata, data: { config: base64(text) } },
    })
  }
  await api.close()
  const mounted = join(dir, 'mounted')
  mkdirSync(mounted)
  writeFileSync(join(mounted, 'token'), token)
  writeFileSync(join(mounted, 'ca.crt'), Buffer.from(planeCa, 'base64'))
  return { apiServer: url, mounted }
}

const begunRelay = async (
  apiServer: string,
  { mounted, dir, hostUrl }: Record<'mounted' | 'dir' | 'hostUrl', string>,
) => {
  const file = join(dir, 'serverless.yml')
  writeFileSync(file, stringify(landscape))
  const [port] = await freePorts(1)
  const address = `http://127.0.0.1:${port}`
  const relay = startProduct({
    program: 'relay',
    apiServer,
    mounted,
    dir,
    flags: [`--landscape=${file}`, `--listen=127.0.0.1:${port}`, `--address=${address}`, `--host=${hostUrl}`],
    environment: { ESPALIER_CALLER_PROOF: 'secret', ESPALIER_CALLER_SECRET: 'a-secret-that-nobody-checks-here-at-all' },
  })
  await firstAnswer(`${address}/metrics`, relay)
  return relay
}

await buildProduct()
const dir = scratchFolder()
const authority = await newAuthority('fleet')
const fleet = startWorker<FleetServers>('fleet-servers.ts')
const hostile = startWorker<FleetServers>('fleet-servers.ts')
const host = startWorker<FunctionHost>('function-host.ts')
const plane = startWorker<EmbeddedServer>('embedded-server.ts')
const serving = await authority.serving({ ip: ['127.0.0.1'] })
const fleetUrl = `https://127.0.0.1:${await fleet.ask('begin', serving)}`
const hostileUrl = `https://127.0.0.1:${await hostile.ask('begin', serving)}`
const addresses = { fleetUrl, hostileUrl, caData: base64(authority.certificate) }
const { apiServer, mounted } = await begunPlane(plane, dir, addresses)
const hostUrl = `http://127.0.0.1:${await host.ask('begin')}`
const startRelay = () => begunRelay(apiServer, { mounted, dir, hostUrl })
const found: Compared[] = []
for (const mischief of mischiefs) found.push(await compared({ fleet, hostile, host, startRelay }, mischief))
for (const worker of [fleet, hostile, host, plane]) await worker.end()
rmSync(dir, { recursive: true, force: true })

const worst = Math.max(...found.map(({ alone, beside }) => beside.p99 / alone.p99))
const goal: Goal = {
  asks: 'the calls for other clusters come as before: p99 at most 1.2 times, none missing, the relay within 256 MB',
  found: `${figures(worst)} times at most, ${found.reduce((sum, { beside }) => sum + beside.lost, 0)} missing, ${figures(Math.max(...found.map(({ megabytes }) => megabytes)))} MB`,
  isMet: worst <= 1.2 && found.every(({ beside, megabytes }) => beside.lost === 0 && megabytes <= 256),
}
print({ title: 'A hostile cluster among others', about, tables: [found.map(row)], goals: [goal] })
