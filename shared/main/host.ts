// The host: serves the functions of a landscape over HTTP. `host --help` lists its settings.
import manifest from '../../package.json' with { type: 'json' }
import type { Landscape } from '../api/serverless.ts'
import { stopOnSignals } from '../http/readiness.ts'
import { earlySettings } from '../http/settings/config.ts'
import { type HostSettings, hostSettings } from '../http/settings/host-settings.ts'
import { startHost } from '../http/start-host.ts'
import { hostLog } from '../http/telemetry/log.ts'
import { hostMetrics } from '../http/telemetry/metrics.ts'
import { createClient } from '../kube/client/client.ts'
import { clusters } from '../kube/clusters/clusters.ts'
import type { FunctionDefinition } from '../runtime/definition.ts'
import { functionSettingsTable, settingsByFunction } from './function-settings.ts'
import { chosenFunctions, landscapeOf, ownFolder } from './landscape.ts'
import { foundFunctions } from './own/own-functions.ts'
import { begin, clusterAccess, rendererProgram, tracesOf } from './program.ts'

/** Landscape and functions determine which settings exist. `--help` loads no function of the program. */
const program = async () => {
  const { landscape: file, functions } = earlySettings({
    landscape: hostSettings.landscape,
    functions: hostSettings.functions,
  })
  const landscape = await landscapeOf(file)
  const names = chosenFunctions(functions, Object.keys(landscape.functions))
  const found = await foundFunctions(names, landscape, ownFolder(file))
  const table = { ...hostSettings, ...functionSettingsTable(found, landscape) }
  const run = async (settings: HostSettings): Promise<void> =>
    serve(settings, landscape, await Promise.all(found.map(({ load }) => load())))
  return { table, run }
}

const serve = async (
  settings: HostSettings,
  landscape: Landscape,
  functions: readonly FunctionDefinition[],
): Promise<void> => {
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
    functions,
    settingsOf: await settingsByFunction(functions, settings),
    local,
    clusters: all,
    metrics,
    log,
    version,
    noteSpan: traces?.note,
    rendererProgram,
  })
  stopOnSignals(async () => {
    await host.stop()
    await local.close()
    await traces?.close()
  })
}

begin({ name: 'host', heapGrowth: 'half' }, program)
