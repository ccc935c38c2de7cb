// What the benchmark of Components stands on: an API server, host and relay as programs of their own, and what they cost.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import { parseAllDocuments, stringify } from 'yaml'
import type { Key } from '../../shared/core/objects/object.ts'
import { readLandscape } from '../../shared/deploy/landscape/landscape.ts'
import { hostPod } from '../../shared/deploy/workloads/host.ts'
import type { LifelinedProcess } from '../../tests/harness/processes/bound-processes.ts'
import { freePorts } from '../../tests/harness/processes/ports.ts'
import { type ApiServer, type BareApi, bareApi } from '../measure/bare-api.ts'
import { cpuSeconds, peakResidentMegabytes, residentMegabytes } from '../measure/process.ts'
import { buildProduct, firstAnswer, startProduct } from '../measure/product.ts'
import { sumOf } from '../measure/prometheus.ts'
import { mountedServiceAccount, onRealCluster, type RealCluster } from '../measure/real-cluster.ts'

/** Counted since the programs began. */
export type Cost = {
  readonly calls: Readonly<Record<Verb, number>>
  readonly cpuSeconds: number
  readonly hostMegabytes: number
  readonly relayMegabytes: number
}

export const verbs = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export type Verb = (typeof verbs)[number]

export type Stage = {
  readonly cluster: RealCluster
  /** With the rights and the limits of a service account, as the host has them. */
  readonly bare: BareApi
  /** Once all is at rest: whatever a stage has set off is a part of it. */
  cost(): Promise<Cost>
  /** The megabytes that each program holds now. */
  memory(): Record<'host' | 'relay', number>
  /** Calls the function for one Component, as the relay would. */
  call(key: Key): Promise<unknown>
}

const secret = 'a-secret-between-the-programs-of-this-benchmark'
const root = join(import.meta.dirname, '..', '..')

type Installation = {
  /** Further flags of the host. */
  readonly hostFlags?: readonly string[]
  /** The hosts that kubeconfigs of Components may name. */
  readonly kubeConfigHosts?: readonly string[]
  /** The proxy by which the programs reach the API server. */
  readonly through?: (server: ApiServer) => Promise<ApiServer>
}

/** Does the work with everything running. */
export const onStage = <T>(work: (stage: Stage) => Promise<T>, installation: Installation = {}): Promise<T> =>
  onRealCluster(async cluster => {
    await install(cluster)
    const token = readFileSync(join(await mountedServiceAccount(cluster, 'bare'), 'token'), 'utf8')
    const bare = bareApi(cluster, { token })
    const programs = await start(cluster, installation)
    try {
      return await work({ cluster, bare, ...programs })
    } finally {
      await Promise.all([bare.close(), programs.end()])
    }
  })

export const install = async ({ api }: RealCluster): Promise<void> => {
  const crd = readFileSync(join(root, 'manifests', 'crds', 'core.espalier.dev_components.yaml'), 'utf8')
  for (const document of parseAllDocuments(crd))
    await api.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: document.toJS() })
}

/** A host, and a relay that calls it. */
export type Pair = {
  readonly host: LifelinedProcess
  readonly relay: LifelinedProcess
  readonly hostUrl: string
  hostMetrics(): Promise<string>
  relayMetrics(): Promise<string>
  end(): Promise<void>
}

export type PairInstallation = Installation & {
  /** Distinguishes the service accounts of several pairs. */
  readonly suffix?: string
  readonly relayFlags?: readonly string[]
}

/** Call `buildProduct` before. */
export const startPair = async (
  cluster: RealCluster,
  { hostFlags = [], relayFlags = [], kubeConfigHosts = [], through, suffix = '' }: PairInstallation = {},
): Promise<Pair> => {
  const [hostPort, relayPort] = await freePorts(2)
  const [hostUrl, relayUrl] = [`http://127.0.0.1:${hostPort}`, `http://127.0.0.1:${relayPort}`]
  const environment = { ESPALIER_CALLER_PROOF: 'secret', ESPALIER_CALLER_SECRET: secret }
  const server = (await through?.(cluster)) ?? cluster
  const common = { environment, apiServer: server.url, dir: cluster.dir }
  const landscape = `--landscape=${landscapeIn(cluster.dir, kubeConfigHosts)}`
  const memoryLimitMiB = hostPod(whole(), 'component', ['component']).memoryMiB.limit
  const host = startProduct({
    ...common,
    program: 'host',
    memoryLimitMiB,
    mounted: await mountedServiceAccount(cluster, `host${suffix}`, server),
    flags: [landscape, `--listen=127.0.0.1:${hostPort}`, '--probes-listen=', '--tls=off', ...hostFlags],
  })
  const hostMetrics = () => firstAnswer(`${hostUrl}/metrics`, host)
  await hostMetrics()
  const relay = startProduct({
    ...common,
    program: 'relay',
    mounted: await mountedServiceAccount(cluster, `relay${suffix}`, server),
    flags: [
      ...[landscape, `--listen=127.0.0.1:${relayPort}`, `--address=${relayUrl}`, `--host=${hostUrl}`],
      ...relayFlags,
    ],
  })
  await firstAnswer(`${relayUrl}/readyz`, relay)
  const relayMetrics = () => firstAnswer(`${relayUrl}/metrics`, relay)
  const end = async () => {
    await Promise.all([host.end('SIGTERM'), relay.end('SIGTERM')])
  }
  return { host, relay, hostUrl, hostMetrics, relayMetrics, end }
}

type Programs = Pick<Stage, 'cost' | 'memory' | 'call'> & Pick<Pair, 'end'>

const start = async (cluster: RealCluster, installation: Installation): Promise<Programs> => {
  await buildProduct()
  const { host, relay, hostUrl, hostMetrics, end } = await startPair(cluster, installation)
  return {
    cost: () => costAtRest(async () => costOf(await hostMetrics(), { host, relay })),
    memory: () => ({ host: residentMegabytes(host.pid), relay: residentMegabytes(relay.pid) }),
    call: key => called(`${hostUrl}/functions/component`, key),
    end,
  }
}

const whole = () => readLandscape(join(root, 'serverless.yml'))

/** The landscape of serverless.yml with this function alone. */
const landscapeIn = (dir: string, kubeConfigHosts: readonly string[]): string => {
  const { functions, ...rest } = whole()
  const file = join(dir, 'serverless.yml')
  const events = functions.component?.events.map(event =>
    'inventory' in event && event.inventory.kubeConfigPath
      ? { inventory: { ...event.inventory, kubeConfigHosts } }
      : event,
  )
  writeFileSync(file, stringify({ ...rest, functions: { component: { ...functions.component, events } } }))
  return file
}

const restMilliseconds = 1_000

/** What has been counted when nobody has asked the API server for anything in a while. */
const costAtRest = async (count: () => Promise<Cost>): Promise<Cost> => {
  let last = await count()
  for (;;) {
    await wait(restMilliseconds)
    const now = await count()
    if (verbs.every(verb => now.calls[verb] === last.calls[verb])) return now
    last = now
  }
}

const costOf = (metrics: string, { host, relay }: Record<'host' | 'relay', LifelinedProcess>): Cost => {
  const calls = verbs.map(verb => [verb, sumOf(metrics, 'rest_client_requests_total', { method: verb })])
  return {
    calls: Object.fromEntries(calls) as Cost['calls'],
    cpuSeconds: cpuSeconds(host.pid) + cpuSeconds(relay.pid),
    hostMegabytes: peakResidentMegabytes(host.pid),
    relayMegabytes: peakResidentMegabytes(relay.pid),
  }
}

const called = async (url: string, key: Key): Promise<unknown> => {
  const { statusCode, body } = await request(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(key),
    headersTimeout: 0,
  })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`${url} for ${key.name}: ${statusCode} ${text}`)
  return JSON.parse(text)
}
