// A host in a process of its own, around a memory cluster, for tests that end processes. A call of `slow` takes as long
// as its name says in milliseconds; `never` does not end. Its log goes to standard output, and ends with the most memory it had.
import { setTimeout as wait } from 'node:timers/promises'
import { settled } from '../../shared/core/decisions/plan.ts'
import { stopOnSignals } from '../../shared/http/readiness.ts'
import { readSettings } from '../../shared/http/settings/config.ts'
import { hostSettings } from '../../shared/http/settings/host-settings.ts'
import { startHost } from '../../shared/http/start-host.ts'
import { hostLog } from '../../shared/http/telemetry/log.ts'
import { hostMetrics } from '../../shared/http/telemetry/metrics.ts'
import { landscape, widget, widgetFunction, widgetReview } from './host-parts.ts'
import { MemoryCluster } from './memory-cluster.ts'

const names = ['0', '20', '500', 'never']
const cluster = new MemoryCluster(names.map(name => widget(name)))
const slow = widgetFunction({
  gather: async ({ metadata: { name } }) => (name === 'never' ? new Promise(() => {}) : wait(Number(name))),
  decide: () => ({ steps: [], status: {}, events: [], next: settled }),
})

const reading = readSettings(hostSettings, 'host-child')
if (reading.is !== 'settings') throw new Error(JSON.stringify(reading))
const log = hostLog('info')
const host = await startHost({
  settings: reading.settings,
  landscape: landscape(),
  functions: [slow, widgetReview()],
  local: cluster.client,
  clusters: cluster.clusters,
  metrics: hostMetrics(),
  log,
  version: '0.0.0',
})
stopOnSignals(async () => {
  await host.stop()
  log.info({ peakKibibytes: process.resourceUsage().maxRSS }, 'ended')
})
