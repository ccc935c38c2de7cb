// The host: serves the functions of a landscape over HTTP. `host --help` lists its settings.
import manifest from '../../package.json' with { type: 'json' }
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
import { begin } from './program.ts'
import { rendererProgram } from './renderer-program.ts'
import { tracesOf } from './traces.ts'

const run = async (settings: HostSettings): Promise<void> => {
  const landscape = await landscapeOf(settings.landscape)
  const names = chosenFunctions(settings.functions, Object.keys(landscape.functions))
  const served = await servedFunctions(names, landscape, ownFolder(settings.landscape))
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

begin({ name: 'host', table: hostSettings, heapGrowth: 'half', run })
