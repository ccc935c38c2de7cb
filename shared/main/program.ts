// What our programs share: their start with settings, their cluster, their traces. If settings are invalid or the start fails, a program
// exits with 1 and a sentence.
import type { NetworkInterfaceInfo } from 'node:os'
import { extname, join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import type { Log } from '../core/log.ts'
import type { SettingsOf, SettingsTable } from '../core/settings/setting.ts'
import { errorText } from '../core/text/error-text.ts'
import { readSettings } from '../http/settings/config.ts'
import { type ClusterAccess, inClusterAccess } from '../kube/clusters/access.ts'
import { type TraceCollector, traceCollector } from '../trace/collector.ts'
import { type HeapGrowth, holdLittleMemory } from './v8-flags.ts'

type Begun = { readonly name: string; readonly heapGrowth: HeapGrowth }

type Program<Table extends SettingsTable> = {
  readonly table: Table
  readonly run: (settings: SettingsOf<Table>) => Promise<void>
}

export const begin = <Table extends SettingsTable>(
  { name, heapGrowth }: Begun,
  program: () => Promise<Program<Table>>,
): void => {
  holdLittleMemory(heapGrowth)
  const started = async (): Promise<void> => {
    const { table, run } = await program()
    const reading = readSettings(table, name)
    if (reading.is === 'text') process.stdout.write(`${reading.text}\n`)
    else if (reading.is === 'faults') end(name, reading.faults)
    else await run(reading.settings)
  }
  started().catch(error => end(name, [errorText(error)]))
}

const end = (name: string, faults: readonly string[]): void => {
  process.stderr.write(faults.map(fault => `${name}: ${fault}\n`).join(''))
  process.exitCode = 1
}

type AccessSettings = { kubeconfig: string | undefined; apiServer: string; serviceAccount: string }

export const clusterAccess = async ({
  kubeconfig,
  apiServer,
  serviceAccount,
}: AccessSettings): Promise<ClusterAccess> =>
  kubeconfig === undefined
    ? inClusterAccess({ server: apiServer, directory: serviceAccount })
    : personsAccess(kubeconfig)

/** Imported only when needed, because a user's kubeconfig needs a large library. */
export const personsAccess = async (kubeconfig: string): Promise<ClusterAccess> => {
  const { ownKubeconfigAccess } = await import('../kube/kubeconfigs/own-kubeconfig.ts')
  return ownKubeconfigAccess({ files: kubeconfig.split(':') })
}

/** undefined without an endpoint. */
export const tracesOf = (
  { tracesEndpoint: endpoint }: { tracesEndpoint?: string | undefined },
  service: string,
  log: Log,
): TraceCollector | undefined =>
  endpoint === undefined ? undefined : traceCollector({ endpoint, service, version: manifest.version, log })

/** The first IPv4 address, otherwise the first IPv6 address in brackets. Other machines cannot reach link-local addresses. */
export const ownHost = (interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>): string => {
  const all = Object.values(interfaces)
    .flatMap(addresses => addresses ?? [])
    .filter(({ internal }) => !internal)
  const four = all.find(({ family }) => family === 'IPv4')
  const six = all.find(info => info.family === 'IPv6' && info.scopeid === 0)
  return four?.address ?? (six ? `[${six.address}]` : '127.0.0.1')
}

export const rendererProgram = join(import.meta.dirname, `renderer${extname(import.meta.filename)}`)
