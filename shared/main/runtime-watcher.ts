// The runtime watcher: the agent that the control plane runs in each runtime. `runtime-watcher --help` lists its settings.
import { runtimeWatcher } from '../../functions/runtime-watcher/index.ts'
import manifest from '../../package.json' with { type: 'json' }
import { startAgent } from '../agent/agent.ts'
import { certificateIn, controlPlane } from '../agent/control-plane.ts'
import { stopOnSignals } from '../http/readiness.ts'
import { type RuntimeWatcherSettings, runtimeWatcherSettings } from '../http/settings/runtime-watcher-settings.ts'
import { hostLog } from '../http/telemetry/log.ts'
import { createClient } from '../kube/client/client.ts'
import { begin, clusterAccess } from './program.ts'

const run = async (settings: RuntimeWatcherSettings): Promise<void> => {
  const { authorities, certificate: certificateFile, key, controlPlane: address, contract } = settings
  const log = hostLog(settings.logLevel)
  const certificate = certificateIn({ authorities, certificate: certificateFile, key }, log)
  const userAgent = `espalier-${runtimeWatcher.name}/${manifest.version}`
  const client = createClient(await clusterAccess(settings), { userAgent })
  const agent = await startAgent({
    decides: runtimeWatcher,
    client,
    sources: settings.sources,
    certificate,
    controlPlane: controlPlane({ address, contract, certificate, userAgent }),
    ports: { webhook: settings.webhookPort, metrics: settings.metricsPort },
    version: manifest.version,
    log,
  })
  stopOnSignals(async () => {
    await agent.stop()
    await client.close()
  })
}

begin({ name: runtimeWatcher.name, heapGrowth: 'least' }, async () => ({ table: runtimeWatcherSettings, run }))
