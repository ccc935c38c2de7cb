// What the benchmark of Kymas stands on: a control plane and an API server that all runtimes share, both real; a registry; a node that has
// every Deployment ready at once; host and relay with the functions kyma and manifest as programs of their own.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Test } from 'tap'
import { stringify } from 'yaml'
import { kymaCrds } from '../../shared/api/kyma/crds.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { readLandscape } from '../../shared/deploy/landscape/landscape.ts'
import { newAuthority } from '../../tests/harness/clients/certificates.ts'
import { base64 } from '../../tests/harness/clients/kubeconfig.ts'
import type { Program } from '../../tests/harness/control-plane/binaries.ts'
import type { LifelinedProcess } from '../../tests/harness/processes/bound-processes.ts'
import { freePorts } from '../../tests/harness/processes/ports.ts'
import { type StandInRegistry, standInRegistry } from '../../tests/harness/registries/registry.ts'
import type { BareApi } from '../measure/bare-api.ts'
import { cpuSeconds as cpuSecondsOf } from '../measure/process.ts'
import { buildProduct, firstAnswer, startProduct } from '../measure/product.ts'
import { profileFlags } from '../measure/profile.ts'
import { mountedServiceAccount, onRealCluster, type RealCluster } from '../measure/real-cluster.ts'
import { startWorker, type Worker } from '../measure/worker.ts'
import type { NamespacesAsRuntimes } from '../programs/namespaces-as-runtimes.ts'
import { type Audits, audit, auditFlags } from './audit.ts'
import { firstVersion, layerOf, layersOf, modules, type Reach, releaseOf } from './objects.ts'
import { keepDeploymentsReady } from './ready-deployments.ts'

export const secret = 'a-secret-between-the-programs-of-this-benchmark'
export const namespace = 'kcp-system'
const group = '/apis/operator.kyma-project.io/v1beta2'
const root = join(import.meta.dirname, '..', '..')

export const collectionOf = (plural: string, where = namespace): string => `${group}/namespaces/${where}/${plural}`

export type Programs = {
  readonly host: LifelinedProcess
  readonly relay: LifelinedProcess
  readonly hostUrl: string
  readonly relayUrl: string
  hostMetrics(): Promise<string>
  relayMetrics(): Promise<string>
  end(): Promise<void>
}

export type Stage = {
  readonly plane: RealCluster
  /** Where the runtimes are. */
  readonly runtimes: BareApi
  /** Requests to both API servers. */
  readonly audits: Audits
  /** Programs beside host and relay, by what they are: all that they computed since they began, in seconds. */
  cpuSeconds(): Readonly<Record<string, number>>
  readonly proxy: Worker<NamespacesAsRuntimes>
  readonly reach: Reach
  /** The module's ModuleTemplate and ModuleReleaseMeta, whose channel has this version. */
  released(module: string, version: string): readonly [KubeObject, KubeObject]
  /** `profiles`: a folder for profiles of both programs. */
  start(profiles?: string): Promise<Programs>
}

/** Does the work with the modules released and no Kyma yet. */
export const onStage = <T>(proxied: Proxied, work: (stage: Stage) => Promise<T>): Promise<T> =>
  onRealCluster(
    plane => onRealCluster(runtimes => onBoth(plane, { runtimes, ...proxied }, work), auditFlags),
    auditFlags,
  )

/** As in namespaces-as-runtimes.ts. */
type Proxied = { readonly listsForWatches: boolean }
type Runtimes = Proxied & { readonly runtimes: RealCluster }

const onBoth = async <T>(
  plane: RealCluster,
  { runtimes, listsForWatches }: Runtimes,
  work: (stage: Stage) => Promise<T>,
): Promise<T> => {
  await buildProduct()
  const ends: (() => unknown)[] = []
  try {
    const registry = await standInRegistry({ teardown: (end: () => unknown) => ends.push(end) } as unknown as Test)
    const released = (module: string, version: string) => {
      const layer = Buffer.from(layerOf(module, version))
      return releaseOf(module, registry.putBlob(`component-descriptors/${layersOf(module)}`, layer), version)
    }
    await defineKinds(plane.api)
    for (const module of modules) {
      const [template, meta] = released(module, firstVersion)
      await plane.api.call('POST', collectionOf('moduletemplates'), { body: template })
      await plane.api.call('POST', collectionOf('modulereleasemetas'), { body: meta })
    }
    const { proxy, reach } = await proxyTo({ runtimes, listsForWatches })
    ends.push(() => proxy.end(), keepDeploymentsReady(runtimes.api))
    const start = (profiles?: string) => startPrograms(plane, { registry, profiles })
    const cpuSeconds = () => ({
      'both API servers': cpuOf([plane, runtimes], 'kube-apiserver'),
      'both etcds': cpuOf([plane, runtimes], 'etcd'),
      'the proxy': cpuSecondsOf(proxy.pid),
    })
    const audits = { 'control plane': audit(plane.dir), runtime: audit(runtimes.dir) }
    return await work({ plane, runtimes: runtimes.api, audits, proxy, reach, released, start, cpuSeconds })
  } finally {
    for (const end of ends) await end()
  }
}

const cpuOf = (clusters: readonly RealCluster[], program: Program): number =>
  clusters.reduce((sum, cluster) => sum + cpuSecondsOf(cluster.pids()[program] ?? 0), 0)

/** Kyma's kinds, served, and the namespaces of the control plane. */
export const defineKinds = async (api: BareApi): Promise<void> => {
  for (const body of kymaCrds())
    await api.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body })
  for (const name of [namespace, 'istio-system'])
    await api.call('POST', '/api/v1/namespaces', { body: { metadata: { name } } })
  while (!(await isServed(api))) await wait(100)
}

const isServed = async (api: BareApi): Promise<boolean> => {
  const kinds = ['kymas', 'manifests', 'moduletemplates', 'modulereleasemetas', 'watchers']
  const asked = await Promise.allSettled(kinds.map(plural => api.call('GET', collectionOf(plural))))
  return asked.every(({ status }) => status === 'fulfilled')
}

const proxyTo = async ({ runtimes, listsForWatches }: Runtimes) => {
  const authority = await newAuthority('runtimes')
  const serving = await authority.serving({ ip: ['127.0.0.1'] })
  const proxy = startWorker<NamespacesAsRuntimes>('namespaces-as-runtimes.ts')
  const { url, caData, admin } = runtimes
  const port = await proxy.ask('begin', { server: { url, caData }, admin, serving, listsForWatches })
  return { proxy, reach: { port, caData: base64(authority.certificate) } }
}

/** What the two may hold together is judged; the host is started as one with half of a gigabyte. */
const memoryLimitMiB = 512

type Starting = { readonly registry: StandInRegistry; readonly profiles: string | undefined }

const startPrograms = async (plane: RealCluster, { registry, profiles }: Starting): Promise<Programs> => {
  const [hostPort, relayPort] = await freePorts(2)
  const [hostUrl, relayUrl] = [`http://127.0.0.1:${hostPort}`, `http://127.0.0.1:${relayPort}`]
  const environment = {
    ESPALIER_CALLER_PROOF: 'secret',
    ESPALIER_CALLER_SECRET: secret,
    ESPALIER_PLAIN_REGISTRIES: registry.host,
    ESPALIER_LOG_LEVEL: 'warn',
  }
  const profiled = profiles === undefined ? {} : { nodeFlags: profileFlags(profiles) }
  const common = { environment, apiServer: plane.url, dir: plane.dir, ...profiled }
  const landscape = `--landscape=${landscapeIn(plane.dir)}`
  const host = startProduct({
    ...common,
    program: 'host',
    memoryLimitMiB,
    mounted: await accountOf(plane, 'host'),
    flags: [
      ...[landscape, `--listen=127.0.0.1:${hostPort}`, '--probes-listen=', '--tls=off', '--drain-seconds=0'],
      `--kyma-registry=${registry.host}`,
    ],
  })
  const hostMetrics = () => firstAnswer(`${hostUrl}/metrics`, host)
  await hostMetrics()
  const relay = startProduct({
    ...common,
    program: 'relay',
    mounted: await accountOf(plane, 'relay'),
    flags: [landscape, `--listen=127.0.0.1:${relayPort}`, `--address=${relayUrl}`, `--host=${hostUrl}`],
  })
  const relayMetrics = () => firstAnswer(`${relayUrl}/metrics`, relay)
  await relayMetrics()
  const end = async () => {
    await Promise.all([host.end('SIGTERM'), relay.end('SIGTERM')])
  }
  return { host, relay, hostUrl, relayUrl, hostMetrics, relayMetrics, end }
}

const accounts = new Map<string, Promise<string>>()

export const accountOf = (plane: RealCluster, name: string): Promise<string> => {
  const known = accounts.get(name) ?? mountedServiceAccount(plane, name)
  accounts.set(name, known)
  return known
}

/** The landscape of serverless.yml with these functions alone; runtimes are on this machine. */
const landscapeIn = (dir: string): string => {
  const { functions, provider, ...rest } = readLandscape(join(root, 'serverless.yml'))
  const { kyma, manifest } = functions
  const remotes = Object.fromEntries(
    Object.entries(provider.remotes ?? {}).map(([name, remote]) => [name, { ...remote, allowedHosts: ['127.0.0.1'] }]),
  )
  const file = join(dir, 'serverless.yml')
  writeFileSync(file, stringify({ ...rest, provider: { ...provider, remotes }, functions: { kyma, manifest } }))
  return file
}
