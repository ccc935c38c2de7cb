// The host as it serves the webhooks of garden-admission in a cluster that holds no Garden yet.
import { join } from 'node:path'
import { gardenAdmission } from '../../functions/garden-admission/index.ts'
import { readLandscape } from '../../shared/deploy/landscape/landscape.ts'
import { startHost } from '../../shared/http/start-host.ts'
import { hostLog } from '../../shared/http/telemetry/log.ts'
import { hostMetrics } from '../../shared/http/telemetry/metrics.ts'
import { createClient } from '../../shared/kube/client/client.ts'
import type { Client } from '../../shared/kube/client-types.ts'
import { clusters } from '../../shared/kube/clusters/clusters.ts'
import { holdLittleMemory } from '../../shared/main/v8-flags.ts'
import { webhookSettings } from '../measure/webhook-settings.ts'
import { serveParent } from '../measure/worker.ts'

/** Answers the one question that is asked, whether there is a Garden, without an API server. */
const local: Client = {
  ...createClient({ server: 'https://127.0.0.1:1', credentials: () => ({}) }),
  list: async () => [],
  bound: () => local,
}

holdLittleMemory('half')
serveParent({
  /** Answers the port of the webhooks. */
  begin: async (certificateFolder: string): Promise<number> => {
    const host = await startHost({
      settings: webhookSettings(certificateFolder),
      functions: [gardenAdmission],
      local,
      clusters: clusters({ local }),
      landscape: readLandscape(join(import.meta.dirname, '..', '..', 'serverless.yml')),
      metrics: hostMetrics(),
      log: hostLog('info'),
      version: 'bench',
    })
    return host.addresses.webhooks?.port ?? 0
  },
})
