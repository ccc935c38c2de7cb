// Functions at work on a cluster: a host that serves them, and a relay that calls the host for events, as serverless.yml says.
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { loadFunctions } from '../../../functions/index.ts'
import type { Landscape } from '../../../shared/api/serverless.ts'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { type HostApps, hostApps } from '../../../shared/http/app.ts'
import { sharedSecret } from '../../../shared/http/callers.ts'
import { hostContext } from '../../../shared/http/host-context.ts'
import { readiness } from '../../../shared/http/readiness.ts'
import { hostLog } from '../../../shared/http/telemetry/log.ts'
import { hostMetrics } from '../../../shared/http/telemetry/metrics.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { startRelay } from '../../../shared/relay/relay.ts'
import { silentLog } from '../component/orchards.ts'
import { standingRelayClock } from '../standing-clock.ts'

const secret = 'the-secret-of-functions-at-work-x'

export type AtWork = {
  readonly apps: HostApps
  readonly relayUrl: string
}

/** serverless.yml with these functions only. */
const landscapeWith = (names: readonly string[]): Landscape => {
  const { functions, ...rest } = readLandscape(new URL('../../../serverless.yml', import.meta.url))
  const chosen = Object.entries(functions).filter(([name]) => names.includes(name))
  return { ...rest, functions: Object.fromEntries(chosen) }
}

/** Resolves when the relay has listed everything once. Host and relay end with the test. */
export const atWork = async (t: Test, client: Client, names: readonly string[]): Promise<AtWork> => {
  const landscape = landscapeWith(names)
  const all = clusters({ local: client, remotes: landscape.provider.remotes })
  const apps = hostApps({
    functions: await loadFunctions(names),
    landscape,
    version: '0.0.0',
    metrics: hostMetrics(),
    context: hostContext(landscape, { clusters: all }),
    readiness: readiness({ client: async () => client }),
    checkToken: sharedSecret(secret),
    log: hostLog('silent'),
  })
  await apps.functions.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => apps.functions.close())
  const { port } = apps.functions.server.address() as AddressInfo
  const relay = await startRelay({
    landscape,
    clusters: all,
    clock: standingRelayClock(),
    log: silentLog,
    host: { urlOf: () => `http://127.0.0.1:${port}`, token: async () => secret },
    listen: { host: '127.0.0.1', port: 0 },
    refuses: async () => undefined,
  })
  t.teardown(() => relay.stop(1))
  await relay.ready
  return { apps, relayUrl: `http://127.0.0.1:${relay.port}` }
}
