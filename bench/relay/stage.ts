// What both parts of the relay's benchmark stand on: an API server with objects, a function host, and relays to start.
import type { LifelinedProcess } from '../../tests/harness/processes/bound-processes.ts'
import { freePorts } from '../../tests/harness/processes/ports.ts'
import { collection, configMap, nameOf } from '../measure/config-maps.ts'
import { inParallel } from '../measure/load.ts'
import { buildProduct, firstAnswer, startProduct } from '../measure/product.ts'
import { sumOf } from '../measure/prometheus.ts'
import { mountedServiceAccount, onRealCluster, type RealCluster } from '../measure/real-cluster.ts'
import { progress } from '../measure/report.ts'
import { startWorker, type Worker } from '../measure/worker.ts'
import type { FunctionHost } from '../programs/function-host.ts'
import { writeLandscape } from './landscape.ts'

export const objects = 10_000

export type Stage = {
  readonly cluster: RealCluster
  readonly host: Worker<FunctionHost>
  readonly hostUrl: string
  /** Where the relay's service account is mounted. */
  readonly mounted: string
  startRelay(): Promise<Relay>
  /** How many requests the API server has refused for being too many. */
  refused(): Promise<number>
}

export type Relay = LifelinedProcess & { metrics(): Promise<string> }

/** Does the work with everything there and the objects made. */
export const onStage = <T>(work: (stage: Stage) => Promise<T>): Promise<T> =>
  onRealCluster(async cluster => {
    await buildProduct()
    const host = startWorker<FunctionHost>('function-host.ts')
    const hostUrl = `http://127.0.0.1:${await host.ask('begin')}`
    progress(`making ${objects} ConfigMaps`)
    await inParallel(objects, 32, n => cluster.api.call('POST', collection, { body: configMap(nameOf('object', n)) }))
    const mounted = await mountedServiceAccount(cluster, 'relay')
    const landscape = writeLandscape(cluster.dir)
    const startRelay = async () => relayOn({ cluster, hostUrl, mounted, landscape })
    const result = await work({ cluster, host, hostUrl, mounted, startRelay, refused: () => refusedBy(cluster) })
    await host.end()
    return result
  })

type RelayParts = Pick<Stage, 'cluster' | 'hostUrl' | 'mounted'> & { landscape: string }

const relayOn = async ({ cluster, hostUrl, mounted, landscape }: RelayParts): Promise<Relay> => {
  const [port] = await freePorts(1)
  const address = `http://127.0.0.1:${port}`
  const relay = startProduct({
    program: 'relay',
    apiServer: cluster.url,
    mounted,
    dir: cluster.dir,
    flags: [`--landscape=${landscape}`, `--listen=127.0.0.1:${port}`, `--address=${address}`, `--host=${hostUrl}`],
    environment: {
      ESPALIER_CALLER_PROOF: 'secret',
      ESPALIER_CALLER_SECRET: 'a-secret-that-nobody-checks-in-this-benchmark',
    },
  })
  return { ...relay, metrics: () => firstAnswer(`${address}/metrics`, relay) }
}

const refusedBy = async ({ api }: RealCluster): Promise<number> =>
  sumOf(await api.text('/metrics'), 'apiserver_request_total', { code: '429' })
