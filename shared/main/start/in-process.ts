// Runs host and relay in one process for `npm start`, on loopback and with a secret for this run. In a cluster they are separate programs
// (host.ts, relay.ts).
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import manifest from '../../../package.json' with { type: 'json' }
import type { Landscape } from '../../api/serverless.ts'
import type { Console } from '../../console/console.ts'
import type { SettingsTable } from '../../core/settings/setting.ts'
import { certificateFunction } from '../../deploy/manifests/conventions.ts'
import { sharedSecret } from '../../http/callers/callers.ts'
import { environmentFor, settingsFrom } from '../../http/settings/config.ts'
import { type HostSettings, hostSettings } from '../../http/settings/host-settings.ts'
import { startHost } from '../../http/start-host.ts'
import type { HostLog } from '../../http/telemetry/log.ts'
import { hostMetrics } from '../../http/telemetry/metrics.ts'
import type { Client } from '../../kube/client-types.ts'
import { clusters } from '../../kube/clusters/clusters.ts'
import { startRelay } from '../../relay/relay.ts'
import { functionSettingsTable, ownDeclarations, settingsByFunction } from '../function-settings.ts'
import { servedFunctions } from '../own/own-functions.ts'
import { refusesBy } from '../relay-callers.ts'
import { rendererProgram } from '../renderer-program.ts'
import type { AccountClients } from './account-access.ts'
import { sampleCharts } from './samples.ts'

type InProcess = {
  readonly landscape: Landscape
  readonly clients: AccountClients
  readonly log: HostLog
  readonly hostFlags: readonly string[]
  /** The folder of the user's functions. */
  readonly folder?: string
}

export type RunningConsole = { readonly url: string; readonly pages: Pick<Console, 'invite'> }

type Running = {
  readonly hostUrl: string
  readonly relayUrl: string
  /** Absent without the flag `--console`. */
  readonly console?: RunningConsole
  /** The address of the admission webhooks, whose certificate webhook-certificate maintains. */
  readonly webhooks: AddressInfo | undefined
  stop(): Promise<void>
}

/** Resolves when the relay has listed all its kinds once. */
export const startInProcess = async ({ landscape, clients, log, hostFlags, folder }: InProcess): Promise<Running> => {
  const secret = randomBytes(32).toString('base64url')
  const { remotes } = landscape.provider
  const { promise: relayUrl, resolve: relayIsAt } = Promise.withResolvers<string>()
  const functions = await servedFunctions(Object.keys(landscape.functions), landscape, folder)
  // Flags may also set functions that are not chosen.
  const table = functionSettingsTable(folder === undefined ? ownDeclarations : functions, landscape)
  const settings = settingsWith(table, secret, [...tlsOf(landscape), ...hostFlags])
  const host = await startHost({
    settings,
    landscape,
    functions,
    settingsOf: await settingsByFunction(functions, settings),
    local: clients.host,
    log,
    clusters: clusters({ local: clients.host, remotes }),
    clustersOf: name => clusters({ local: clientOf(clients, name), remotes }),
    metrics: hostMetrics(),
    version: manifest.version,
    rendererProgram,
    relay: async () => relayUrl,
  })
  const hostUrl = `http://127.0.0.1:${host.addresses.functions?.port}`
  const relay = await startRelay({
    landscape,
    clusters: clusters({ local: clients.relay, remotes }),
    log,
    host: { urlOf: () => hostUrl, token: async () => secret },
    listen: { host: '127.0.0.1', port: 0 },
    refuses: refusesBy(sharedSecret(secret), log),
  })
  const ownRelay = `http://127.0.0.1:${relay.port}`
  relayIsAt(ownRelay)
  await relay.ready
  const stop = async (): Promise<void> => {
    await relay.stop(2)
    await host.stop()
  }
  const { pages, addresses } = host
  const console = pages && { url: `http://127.0.0.1:${addresses.console?.port}`, pages }
  return { hostUrl, relayUrl: ownRelay, ...(console && { console }), webhooks: addresses.webhooks, stop }
}

/** The function's own client. The client of the host must not be used, because it has the rights of all functions. */
const clientOf = ({ functions }: AccountClients, name: string): Client => {
  const client = functions[name]
  if (!client) throw new Error(`${name} has no client of its own`)
  return client
}

/** The certificate of webhook-certificate. Without this function there is no certificate, and no webhook is served. */
const tlsOf = ({ functions }: Landscape): string[] => [certificateFunction in functions ? '--tls=secret' : '--tls=off']

const settingsWith = (table: SettingsTable, secret: string, more: readonly string[]): HostSettings => {
  const flags = [
    '--listen=127.0.0.1:0',
    '--probes-listen=',
    '--webhooks-listen=127.0.0.1:0',
    '--callbacks-listen=127.0.0.1:0',
    '--caller-proof=secret',
    `--chart-root=${sampleCharts}`,
    ...more,
  ]
  const own = { ESPALIER_CALLER_SECRET: secret, ESPALIER_DRAIN_SECONDS: '0', ESPALIER_GRACE_SECONDS: '5' }
  const environment = { ...environmentFor(table), ...own }
  const reading = settingsFrom({ ...hostSettings, ...table }, { program: 'start', flags, environment })
  if (reading.is === 'settings') return reading.settings
  throw new Error(reading.is === 'faults' ? reading.faults.join('\n') : reading.text)
}
