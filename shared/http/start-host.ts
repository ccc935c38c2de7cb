// Starts and stops a host: apps, certificates and sockets. The programs choose the cluster and handle signals.
import type { Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Landscape } from '../api/serverless.ts'
import type { Console } from '../console/console.ts'
import type { Address } from '../core/settings/shapes.ts'
import type { KeptCertificate } from '../core/tls/renewal.ts'
import type { BindableClusters, Client } from '../kube/client-types.ts'
import type { ProcessContext } from '../runtime/context.ts'
import type { FunctionDefinition } from '../runtime/definition.ts'
import type { Renderers } from '../runtime/renderer/renderers.ts'
import type { NoteSpan } from '../trace/trace.ts'
import { type HostApps, hostApps } from './app.ts'
import { type CallbackListener, callbackListener } from './callback-listener.ts'
import { tokenCheckBy } from './caller-proof.ts'
import { hostContext } from './host-context.ts'
import { listenerTls } from './listener-tls.ts'
import { type HostReadiness, readiness, stopped } from './readiness.ts'
import type { HandOver } from './routes/callbacks.ts'
import { artifactsOf, type HostSettings, renderersOf } from './settings/host-settings.ts'
import { listenerLimits } from './settings/program-settings.ts'
import type { HostLog } from './telemetry/log.ts'
import type { HostMetrics } from './telemetry/metrics.ts'
import { type Reloading, reloading, type TlsOptions, type TlsSettings } from './tls.ts'

type HostStart = {
  settings: HostSettings
  landscape: Landscape
  functions: readonly FunctionDefinition[]
  local: Client
  clusters: BindableClusters
  /** Clusters per function, if functions have their own accounts. Default: the clusters of the host. */
  clustersOf?: (name: string) => BindableClusters
  /** The values of the settings that functions declare. Default: the defaults of the settings. */
  settingsOf?: ProcessContext['settingsOf']
  metrics: HostMetrics
  log: HostLog
  version: string
  /** Absent: no tracing. */
  noteSpan?: NoteSpan | undefined
  /** The module that renderers run. Absent: rendering is impossible. */
  rendererProgram?: string
  /** Address of the relay for callbacks. Default: the setting. */
  relay?: () => Promise<string>
  /** Receives the keys that would be handed to the relay. Default: the relay. */
  handOver?: HandOver
}

export type RunningHost = {
  addresses: Readonly<Record<keyof HostApps, AddressInfo | undefined>>
  /** Absent without `--console`. */
  pages?: Console
  /** Absent without TLS. */
  certificate?: Reloading
  /** Absent when no function receives callbacks. */
  callbacks?: CallbackListener
  /** Resolves when nothing is served any more. True if no call was aborted. */
  stop(): Promise<boolean>
}

export const startHost = async (start: HostStart): Promise<RunningHost> => {
  const { settings, landscape, functions, local, metrics, log, version } = start
  const ready = readiness({ client: async () => local })
  const renderers = start.rendererProgram === undefined ? undefined : renderersOf(settings, start.rendererProgram)
  const given = {
    artifacts: artifactsOf(settings),
    renderer: renderers,
    ...(start.settingsOf && { settingsOf: start.settingsOf }),
  }
  const contextIn = (clusters: BindableClusters) => hostContext(landscape, { ...given, clusters })
  const context = contextIn(start.clusters)
  const { clustersOf } = start
  const ownContexts = clustersOf && new Map(functions.map(({ name }) => [name, contextIn(clustersOf(name))]))
  const listener = await listenerTls({ ...start, context })
  const options = listener?.options
  if (renderers) metrics.rendererMemory(() => renderers.residentBytes())
  let served: readonly KeptCertificate[] = []
  const callbacks = functions.some(({ does }) => does === 'receive') ? callbackListener(start) : undefined
  const apps = hostApps({
    functions,
    landscape,
    context,
    ...(ownContexts && { ownContexts }),
    metrics,
    log,
    version,
    noteSpan: start.noteSpan,
    readiness: ready,
    checkToken: tokenCheckBy(settings, local, { namespace: landscape.provider.namespace, usual: ['relay'] }),
    webhookClientNames: settings.webhookClientAuthorities === undefined ? undefined : settings.webhookClientNames,
    functionsTls: settings.functionsTls === 'on' ? withoutClients(options) : undefined,
    webhooksTls: options,
    callbacks: callbacks?.parts,
    console: settings.console && { local, audience: settings.callerAudience, certificates: () => served },
    limits: listenerLimits(settings),
  })
  await callbacks?.begin(apps.callbacks)
  const listening = await listeningApps(apps, start)
  const certificate =
    listener &&
    certificateKeptFresh([apps.functions, apps.webhooks, ...(apps.console ? [apps.console.app] : [])], {
      ...listener,
      start,
      onUse: ends => {
        served = [{ name: 'The serving certificate of this host', ends }]
        metrics.servingCertificate(ends)
      },
    })
  log.info({ addresses: addressesOf(apps), functions: functions.map(({ name }) => name) }, 'listening')
  const pages = apps.console?.pages
  const stop = () => end(listening, { start, ready, certificate, callbacks, renderers })
  return { addresses: addressesOf(apps), certificate, callbacks, stop, ...(pages && { pages }) }
}

/** Callers of functions use tokens, so no certificate is requested. */
const withoutClients = (options: TlsOptions | undefined): TlsOptions | undefined =>
  options && { ...options, requestCert: false }

/**
 * If one app cannot listen, all apps are closed, because an open listener would keep the failed process alive. Apps without functions do
 * not listen.
 */
const listeningApps = async (apps: HostApps, { settings, functions }: HostStart): Promise<FastifyInstance[]> => {
  const some = (kind: FunctionDefinition['does']): boolean => functions.some(({ does }) => does === kind)
  const wanted: [FastifyInstance | undefined, Address | undefined][] = [
    [apps.functions, settings.listen],
    [apps.webhooks, some('review') ? settings.webhooksListen : undefined],
    [apps.callbacks, some('receive') ? settings.callbacksListen : undefined],
    [apps.probes, settings.probesListen],
    [apps.console?.app, settings.console],
  ]
  const listening = wanted.flatMap(([app, address]) => (app && address ? [{ app, address }] : []))
  const attempts = await Promise.allSettled(listening.map(({ app, address }) => app.listen({ ...address })))
  const failed = attempts.find(attempt => attempt.status === 'rejected')
  const opened = listening.map(({ app }) => app)
  if (!failed) return opened
  await Promise.all(opened.map(app => app.close()))
  throw failed.reason
}

const addressesOf = (apps: HostApps): RunningHost['addresses'] => ({
  functions: addressOf(apps.functions),
  webhooks: addressOf(apps.webhooks),
  callbacks: addressOf(apps.callbacks),
  probes: addressOf(apps.probes),
  console: apps.console && addressOf(apps.console.app),
})

const addressOf = (app: FastifyInstance): AddressInfo | undefined => {
  const address = app.server.address()
  return typeof address === 'object' && address !== null ? address : undefined
}

type Fresh = { tls: TlsSettings; options: TlsOptions; start: HostStart; onUse: (end: Date) => void }

const certificateKeptFresh = (apps: readonly FastifyInstance[], { tls, options, start, onUse }: Fresh): Reloading => {
  const servers = apps.map(app => app.server).filter(server => 'setSecureContext' in server) as unknown as TlsServer[]
  const { settings, log } = start
  const everySeconds = settings.tlsReloadSeconds
  return reloading({ tls, servers, everySeconds, log, onUse }, options)
}

type End = {
  start: HostStart
  ready: HostReadiness
  certificate: Reloading | undefined
  callbacks: CallbackListener | undefined
  renderers: Renderers | undefined
}

const end = async (apps: readonly FastifyInstance[], ending: End): Promise<boolean> => {
  const { start, ready, certificate, callbacks, renderers } = ending
  const { drainSeconds, graceSeconds } = start.settings
  const isClean = await stopped({ apps, readiness: ready, drainSeconds, graceSeconds, log: start.log })
  certificate?.stop()
  await callbacks?.stop()
  renderers?.stop()
  return isClean
}
