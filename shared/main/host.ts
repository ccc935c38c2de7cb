// The host: serves the functions of a landscape over HTTP. `host --help` lists its settings.
import manifest from '../../package.json' with { type: 'json' }
import { earlySettings } from '../http/settings/config.ts'
import { type HostSettings, hostSettings } from '../http/settings/host-settings.ts'
import { startHost } from '../http/start-host.ts'
import { stopOnSignals } from '../http/stop.ts'
import { hostLog } from '../http/telemetry/log.ts'
import { hostMetrics } from '../http/telemetry/metrics.ts'
import { createClient } from '../kube/client/client.ts'
import { clusters } from '../kube/clusters/clusters.ts'
import { clusterAccess } from './cluster-access.ts'
import { gardenImagesFor } from './garden-images.ts'
import { istioFilesFor } from './istio-files.ts'
import { chosenFunctions, landscapeOf, ownFolder } from './landscape.ts'
import { servedFunctions } from './own/own-functions.ts'
import { ownSettingsTable, settingsByFunction } from './own/own-settings.ts'
import { begin } from './program.ts'
import { rendererProgram } from './renderer-program.ts'
import { tracesOf } from './traces.ts'

const servedBy = async (settings: Pick<HostSettings, 'landscape' | 'functions'>) => {
  const landscape = await landscapeOf(settings.landscape)
  const names = chosenFunctions(settings.functions, Object.keys(landscape.functions))
  return { landscape, served: await servedFunctions(names, landscape, ownFolder(settings.landscape)) }
}

/** The settings of the host, and those that functions in the folder of the landscape declare. */
const table = async (): Promise<typeof hostSettings> => {
  const { landscape, functions } = hostSettings
  const early = earlySettings({ landscape, functions })
  if (!early || ownFolder(early.landscape) === undefined) return hostSettings
  const own = await servedBy(early)
  return { ...hostSettings, ...ownSettingsTable(own.served, own.landscape) }
}

const run = async (settings: HostSettings): Promise<void> => {
  const { landscape, served } = await servedBy(settings)
  const log = hostLog(settings.logLevel)
  const metrics = hostMetrics()
  const client = { userAgent: `espalier/${manifest.version}`, onRequest: metrics.requestEnds }
  const local = createClient(await clusterAccess(settings), client)
  const all = clusters({ local, remotes: landscape.provider.remotes, client })
  const { version } = manifest
  const traces = tracesOf(settings, 'espalier-host', log)
  const host = await startHost({
    settings,
    landscape,
    functions: served,
    settingsOf: settingsByFunction(served, settings),
    local,
    clusters: all,
    metrics,
    log,
    version,
    noteSpan: traces?.note,
    rendererProgram,
    istioFiles: await istioFilesFor(served),
    gardenImages: await gardenImagesFor(served, settings.gardenImageOverride),
  })
  stopOnSignals(async () => {
    await host.stop()
    await local.close()
    await traces?.close()
  })
}

begin({ name: 'host', table, heapGrowth: 'half', run })
