// Builds the host's five apps without sockets: functions with probes, webhooks, callbacks, probes, and the console. Webhooks have a
// separate app, because API servers often cannot authenticate themselves.
import type { FastifyInstance } from 'fastify'
import type { AdmissionSettings, Landscape } from '../api/serverless.ts'
import { callBook } from '../console/calls.ts'
import { type Console, type ConsoleParts, consoleOf, type Planner } from '../console/console.ts'
import { gatherContext, type ProcessContext } from '../runtime/context.ts'
import type { AdmissionFunction, FunctionDefinition } from '../runtime/definition.ts'
import { type NoteSpan, newTrace } from '../trace/trace.ts'
import { type BareParts, bareApp, type Gate } from './bare-app.ts'
import type { TokenCheck } from './callers.ts'
import { type Callable, type FunctionCalls, functionCalls } from './calls.ts'
import { closeConnectionsAtEnd, type HostReadiness } from './readiness.ts'
import { type CallbackParts, callbackGate, type ServedCallback, serveCallbacks } from './routes/callbacks.ts'
import { serveConsole } from './routes/console.ts'
import { serveFunctions } from './routes/functions.ts'
import { serveProbes } from './routes/probes.ts'
import { type Described, noteRoutes } from './routes/route.ts'
import { type ServedWebhook, serveWebhooks } from './routes/webhooks.ts'
import { seenFor } from './telemetry/function-metrics.ts'
import type { HostMetrics } from './telemetry/metrics.ts'
import type { TlsOptions } from './tls.ts'

export type AppParts = Omit<BareParts, 'tls'> & {
  /** Each function must have a block in the landscape. */
  functions: readonly FunctionDefinition[]
  landscape: Landscape
  /** For requests of the host itself, and for functions without their own context. */
  context: ProcessContext
  /** Contexts of functions with their own accounts, by name. */
  ownContexts?: ReadonlyMap<string, ProcessContext>
  metrics: HostMetrics
  readiness: HostReadiness
  version: string
  checkToken: TokenCheck
  webhookClientNames?: readonly string[]
  functionsTls?: TlsOptions
  webhooksTls?: TlsOptions
  /** Absent: no function receives callbacks. */
  callbacks?: CallbackParts & { tls: TlsOptions }
  /** Absent: there is no console. */
  console?: Pick<ConsoleParts, 'local' | 'audience' | 'certificates'> | undefined
  now?: () => Date
  /** Absent: no tracing. */
  noteSpan?: NoteSpan | undefined
}

export type HostApps = Readonly<Record<'functions' | 'webhooks' | 'callbacks' | 'probes', FastifyInstance>> & {
  /** Absent: there is no console. */
  readonly console?: { readonly app: FastifyInstance; readonly pages: Console }
}

export const hostApps = (parts: AppParts): HostApps => {
  const { functions, context, metrics, readiness, version, noteSpan, now = () => new Date() } = parts
  const described: Described[] = []
  const bare = (tls?: TlsOptions, gate?: Gate): FastifyInstance => {
    const app = bareApp({ ...parts, tls, gate })
    closeConnectionsAtEnd(app, readiness)
    noteRoutes(app, described)
    return app
  }
  const probeRoutes = { readiness, metrics, version, functions: functions.map(({ name }) => name), described }

  const functionsApp = bare(parts.functionsTls)
  const book = parts.console && callBook()
  const calls = functionCalls({ metrics, now, book, noteSpan })
  const callables = callablesOf(parts)
  serveFunctions(functionsApp, { callables, calls, checkToken: parts.checkToken })
  serveProbes(functionsApp, probeRoutes)

  const webhooksApp = bare(parts.webhooksTls)
  serveWebhooks(webhooksApp, { webhooks: webhooksOf(parts), metrics, clientNames: parts.webhookClientNames })

  const receiving = parts.callbacks && {
    ...parts.callbacks,
    callbacks: callbacksOf(parts),
    begins: metrics.callbackBegins,
    now,
  }
  const callbacksApp = bare(receiving?.tls, receiving && callbackGate({ ...receiving, readiness }))
  if (receiving) serveCallbacks(callbacksApp, receiving)

  const probesApp = bareApp(parts)
  serveProbes(probesApp, probeRoutes)
  const apps = { functions: functionsApp, webhooks: webhooksApp, callbacks: callbacksApp, probes: probesApp }
  if (!parts.console || !book) return apps
  const planners = callables.map(callable => plannerFor(callable, calls, parts))
  const pages = consoleOf({ ...parts.console, clusters: context.clusters, log: parts.log, calls: book, planners, now })
  return { ...apps, console: { app: consoleApp(parts, pages), pages } }
}

const consoleApp = (parts: AppParts, pages: Console): FastifyInstance => {
  const app = bareApp({ ...parts, tls: parts.functionsTls })
  closeConnectionsAtEnd(app, parts.readiness)
  // Event streams would keep the app from closing.
  app.addHook('preClose', async () => pages.stop())
  serveConsole(app, pages)
  return app
}

const plannerFor = (callable: Callable, calls: FunctionCalls, { log }: AppParts): Planner => ({
  name: callable.definition.name,
  kind: callable.definition.kind,
  plan: key => {
    return calls.plan(callable, { key }, { since: performance.now(), trace: newTrace(), log })
  },
})

const callablesOf = (parts: AppParts): Callable[] => {
  const { functions, landscape, metrics, now = () => new Date() } = parts
  const served = functions.flatMap(definition => {
    const settings = landscape.functions[definition.name]
    const context = contextOf(parts, definition)
    return definition.does === 'reconcile' && settings ? [{ definition, settings, context }] : []
  })
  const reading = served.map(({ context, ...one }) => ({
    ...one,
    context: () => gatherContext(context, one.definition, scrapeBounds()),
  }))
  const seen = seenFor(reading, now)
  metrics.seen(seen.metrics, seen.read)
  return served.map(({ definition, settings, context }) => {
    const measure = metrics.declared(definition.metrics ?? [])
    return { definition, context, timeoutSeconds: settings.timeout, measure }
  })
}

const contextOf = ({ context, ownContexts }: AppParts, { name }: FunctionDefinition): ProcessContext =>
  ownContexts?.get(name) ?? context

/** The limit is below ten seconds, because most scrapers wait no longer. */
const scrapeBounds = () => ({ signal: AbortSignal.timeout(8_000) })

/** The admission event has its own timeout, because the API server waits for that time, whatever the function's timeout is. */
const webhooksOf = (parts: AppParts): ServedWebhook[] =>
  parts.functions.flatMap(definition => {
    const events = parts.landscape.functions[definition.name]?.events ?? []
    if (definition.does !== 'review') return []
    const context = contextOf(parts, definition)
    return events.flatMap(event =>
      'admission' in event ? [{ ...webhookOf(definition, event.admission), context }] : [],
    )
  })

const webhookOf = (definition: AdmissionFunction, { type, path, timeoutSeconds }: AdmissionSettings) => ({
  definition: {
    ...definition,
    ...(type === 'mutating' && definition.mutate ? { review: definition.mutate } : definition.webhooks?.[path]),
  },
  path,
  timeoutSeconds,
})

const callbacksOf = (parts: AppParts): ServedCallback[] =>
  parts.functions.flatMap(definition => {
    const settings = parts.landscape.functions[definition.name]
    if (definition.does !== 'receive' || !settings) return []
    const contracts = settings.events.flatMap(event => ('callback' in event ? event.callback.contracts : []))
    return [{ definition, context: contextOf(parts, definition), contracts, timeoutSeconds: settings.timeout }]
  })
