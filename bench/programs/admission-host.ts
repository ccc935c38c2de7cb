// The host as it serves webhooks in a cluster, with one admission function made to be measured, and renderings on demand.
import { join } from 'node:path'
import { readLandscape } from '../../shared/deploy/landscape/landscape.ts'
import type { HostSettings } from '../../shared/http/settings/host-settings.ts'
import { startHost } from '../../shared/http/start-host.ts'
import { hostLog } from '../../shared/http/telemetry/log.ts'
import { hostMetrics } from '../../shared/http/telemetry/metrics.ts'
import { createClient } from '../../shared/kube/client/client.ts'
import { clusters } from '../../shared/kube/clusters/clusters.ts'
import { rendererProgram } from '../../shared/main/program.ts'
import { holdLittleMemory } from '../../shared/main/v8-flags.ts'
import { startRenderer } from '../../shared/runtime/renderer/process.ts'
import { Renderers } from '../../shared/runtime/renderer/renderers.ts'
import { chart } from '../../tests/make/component/chart.ts'
import { renderWork } from '../../tests/make/component/render-work.ts'
import type { ApiServer } from '../measure/bare-api.ts'
import { secondsOf } from '../measure/load.ts'
import { webhookSettings } from '../measure/webhook-settings.ts'
import { serveParent } from '../measure/worker.ts'
import { gardenReview, reviewPath } from './garden-review.ts'

/** A reviewer that asks the API server nothing dials it never. */
let local = createClient({ server: 'https://127.0.0.1:1', credentials: () => ({}) })
let console: HostSettings['console']
let consolePort = 0

const landscape = () => {
  const { functions, ...rest } = readLandscape(join(import.meta.dirname, '..', '..', 'serverless.yml'))
  const [any] = Object.values(functions)
  if (any === undefined) throw new Error('the landscape has no function')
  const admission = {
    type: 'mutating' as const,
    webhook: 'bench',
    configuration: 'bench',
    path: reviewPath,
    rules: [],
    failurePolicy: 'Fail' as const,
    timeoutSeconds: 10,
  }
  return { ...rest, functions: { [gardenReview.name]: { ...any, events: [{ admission }] } } }
}

const renderLimits = { seconds: 60, megabytes: 384 }
const renderers = new Renderers({
  start: () => startRenderer({ path: rendererProgram, bytesMost: renderLimits.megabytes * 2 ** 20 }),
  limits: renderLimits,
})

const configMap =
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a{{ . }}}\ndata: {text: {{ repeat 10000 "x" }}}\n---\n'
const slowChart = chart({
  'templates/a.yaml': `{{ range 1000 }}{{ range 75000 }}{{ end }}{{ end }}{{ range until 500 }}${configMap}{{ end }}`,
})

let isRendering = false
let renderings: Promise<number[]> = Promise.resolve([])

/** Seconds of each. */
const rendered = async (): Promise<number[]> => {
  const seconds: number[] = []
  while (isRendering)
    seconds.push(
      await secondsOf(() => renderers.render(renderWork({}, slowChart), { tenant: 'bench', id: 'bench/slow' })),
    )
  return seconds
}

const commands = {
  /** One after the other, until they are ended. */
  beginRenderings: async (): Promise<void> => {
    isRendering = true
    renderings = rendered()
  },
  /** Answers the seconds of each, the one under way included. */
  endRenderings: (): Promise<number[]> => {
    isRendering = false
    return renderings
  },
  /** To be asked before `begin`: the host then serves a console about the objects of this cluster. */
  serveConsoleOf: ({ url, caData, token }: ApiServer & { readonly token: string }): void => {
    const ca = Buffer.from(caData, 'base64').toString()
    local = createClient({ server: url, credentials: () => ({ ca, token }) })
    console = { host: '127.0.0.1', port: 0 }
  },
  consolePort: (): number => consolePort,
  heldMegabytes: (): number => {
    for (let times = 0; times < 2; times++) globalThis.gc?.()
    return process.memoryUsage().heapUsed / 1e6
  },
  /** Answers the port of the webhooks. */
  begin: async (certificateFolder: string): Promise<number> => {
    const host = await startHost({
      settings: { ...webhookSettings(certificateFolder), console },
      landscape: landscape(),
      functions: [gardenReview],
      local,
      clusters: clusters({ local }),
      metrics: hostMetrics(),
      log: hostLog('info'),
      version: 'bench',
    })
    consolePort = host.addresses.console?.port ?? 0
    return host.addresses.webhooks?.port ?? 0
  },
}

export type AdmissionHost = typeof commands

holdLittleMemory('half')
serveParent(commands)
