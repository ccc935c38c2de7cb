// Host and relay in one process for `npm start`, on loopback and with a secret for this run, each function with its own service account. In
// a cluster they are separate programs (host.ts, relay.ts).
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import manifest from '../../../package.json' with { type: 'json' }
import type { Landscape } from '../../api/serverless.ts'
import type { Console } from '../../console/console.ts'
import type { SettingsTable } from '../../core/settings/setting.ts'
import { certificateFunction } from '../../deploy/manifests/conventions.ts'
import type { ServiceResolver } from '../../embedded/admission/call-webhook.ts'
import { refusesBy } from '../../http/caller-proof.ts'
import { sharedSecret } from '../../http/callers.ts'
import { environmentFor, settingsFrom } from '../../http/settings/config.ts'
import { type HostSettings, hostSettings } from '../../http/settings/host-settings.ts'
import { startHost } from '../../http/start-host.ts'
import type { HostLog } from '../../http/telemetry/log.ts'
import { hostMetrics } from '../../http/telemetry/metrics.ts'
import { createClient } from '../../kube/client/client.ts'
import type { Client } from '../../kube/client-types.ts'
import type { ClusterAccess, Credentials } from '../../kube/clusters/access.ts'
import { clusters } from '../../kube/clusters/clusters.ts'
import { startRelay } from '../../relay/relay.ts'
import { functionSettingsTable, ownDeclarations, settingsByFunction } from '../function-settings.ts'
import { servedFunctions } from '../own/own-functions.ts'
import { rendererProgram } from '../program.ts'
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

type Account = { readonly namespace: string; readonly name: string }

/** The lifetime we request for tokens; a cluster may give less. */
const tokenSeconds = 24 * 3_600

/** Clients of host, relay and functions, each with its own account. So a right that serverless.yml lacks is also missing here. */
type AccountClients = {
  readonly host: Client
  readonly relay: Client
  readonly functions: Readonly<Record<string, Client>>
  close(): Promise<void>
}

export const accountClients = async (
  functions: readonly string[],
  accessOf: (account: string) => Promise<ClusterAccess>,
): Promise<AccountClients> => {
  const clientAs = async (account: string) => [account, createClient(await accessOf(account))] as const
  const [host, relay] = await Promise.all([clientAs('host'), clientAs('relay')])
  const own = await Promise.all(functions.map(clientAs))
  const all = [host, relay, ...own].map(([, client]) => client)
  return {
    host: host[1],
    relay: relay[1],
    functions: Object.fromEntries(own),
    close: async () => void (await Promise.all(all.map(client => client.close()))),
  }
}

/** `client`: the user's client. Rejects if the account does not exist. */
export const accountAccess = async (
  access: ClusterAccess,
  client: Client,
  account: Account,
): Promise<ClusterAccess> => {
  const fresh = async () => {
    const { ca, serverName, acceptsAnyCertificate } = await access.credentials()
    const { token, expires } = await tokenOf(client, account)
    const credentials: Credentials = { ca, serverName, acceptsAnyCertificate, token }
    return { credentials, renewAt: (Date.now() + expires.getTime()) / 2 }
  }
  let current = await fresh()
  return {
    ...access,
    credentials: async () => {
      if (current.renewAt < Date.now()) current = await fresh()
      return current.credentials
    },
  }
}

const tokenOf = async (client: Client, { namespace, name }: Account): Promise<{ token: string; expires: Date }> => {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: tokenSeconds },
  }
  const { status } = (await client.raw({ method: 'POST', path, body })) as {
    status: { token: string; expirationTimestamp: string }
  }
  return { token: status.token, expires: new Date(status.expirationTimestamp) }
}

type WebhookServices = {
  readonly resolve: ServiceResolver
  /** From now on, this port answers for the Services of the place. */
  lead(place: string, port: number | undefined): void
}

/** `places`: a namespace, or namespace/name of one Service. Until `lead` is called for a place, its webhooks fail. */
export const webhookServices = (places: readonly string[]): WebhookServices => {
  const ports = new Map<string, number | undefined>(places.map(place => [place, undefined]))
  const resolve: ServiceResolver = ({ namespace, name, isNamedByUrl }) => {
    if (isNamedByUrl) return undefined
    const place = [`${namespace}/${name}`, namespace].find(one => ports.has(one))
    if (place === undefined) return 'allows'
    const port = ports.get(place)
    return port === undefined ? undefined : { host: '127.0.0.1', port }
  }
  return { resolve, lead: (place, port) => ports.set(place, port) }
}
