// The host as it serves webhooks in a cluster, with one admission function made to be measured.
import { join } from 'node:path'
import { readLandscape } from '../../shared/deploy/landscape/landscape.ts'
import { startHost } from '../../shared/http/start-host.ts'
import { hostLog } from '../../shared/http/telemetry/log.ts'
import { hostMetrics } from '../../shared/http/telemetry/metrics.ts'
import { createClient } from '../../shared/kube/client/client.ts'
import { clusters } from '../../shared/kube/clusters/clusters.ts'
import { webhookSettings } from '../measure/webhook-settings.ts'
import { serveParent } from '../measure/worker.ts'
import { gardenReview, reviewPath } from './garden-review.ts'

/** A reviewer that asks the API server nothing dials it never. */
const local = createClient({ server: 'https://127.0.0.1:1', credentials: () => ({}) })

const landscape = () => {
  const { functions, ...rest } = readLandscape(join(import.meta.dirname, '..', '..', 'serverless.yml'))
  const [any] = Object.values(functions)
  if (any === undefined) throw new Error('the landscape has no function')
  const admission = {
    ...{ type: 'mutating' as const, webhook: 'bench', configuration: 'bench', path: reviewPath, rules: [] },
    ...{ failurePolicy: 'Fail' as const, timeoutSeconds: 10 },
  }
  return { ...rest, functions: { [gardenReview.name]: { ...any, events: [{ admission }] } } }
}

const commands = {
  /** Answers the port of the webhooks. */
  begin: async (certificateFolder: string): Promise<number> => {
    const host = await startHost({
      ...{ settings: webhookSettings(certificateFolder), landscape: landscape(), functions: [gardenReview] },
      ...{ local, clusters: clusters({ local }), metrics: hostMetrics(), log: hostLog('info'), version: 'bench' },
    })
    return host.addresses.webhooks?.port ?? 0
  },
}

export type AdmissionHost = typeof commands

serveParent(commands)
