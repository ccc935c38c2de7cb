// The relay program: it watches API servers and the clock and calls functions. `relay --help` lists its settings.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { hostname, networkInterfaces } from 'node:os'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { refusesBy, tokenCheckBy } from '../http/caller-proof.ts'
import { stopOnSignals } from '../http/readiness.ts'
import { listenerLimits } from '../http/settings/program-settings.ts'
import { type RelaySettings, relaySettings } from '../http/settings/relay-settings.ts'
import { hostLog } from '../http/telemetry/log.ts'
import { createClient } from '../kube/client/client.ts'
import type { Client } from '../kube/client-types.ts'
import { clusters } from '../kube/clusters/clusters.ts'
import type { HostAccess } from '../relay/calls/function-host.ts'
import { relayMetrics } from '../relay/metrics.ts'
import { type Sharing, startRelay } from '../relay/relay.ts'
import { landscapeOf } from './landscape.ts'
import { begin, clusterAccess, ownHost, tracesOf } from './program.ts'

const run = async (settings: RelaySettings): Promise<void> => {
  const landscape = await landscapeOf(settings.landscape)
  const log = hostLog(settings.logLevel)
  const metrics = relayMetrics()
  const client = { userAgent: `espalier-relay/${manifest.version}`, onRequest: metrics.requestEnds }
  const access = await clusterAccess(settings)
  const local = createClient(access, client)
  const ofLeases = createClient(access, client)
  const traces = tracesOf(settings, 'espalier-relay', log)
  const usual = ['host', 'relay', ...Object.keys(landscape.functions)]
  const check = tokenCheckBy(settings, local, { namespace: landscape.provider.namespace, usual })
  const relay = await startRelay({
    landscape,
    clusters: clusters({ local, remotes: landscape.provider.remotes, client: { ...client, ...remoteConnections } }),
    host: { ...hostAccess(settings), noteSpan: traces?.note },
    listen: settings.listen,
    limits: listenerLimits(settings),
    refuses: refusesBy(check, log),
    log,
    metrics,
    sharing: sharing(settings, ofLeases),
    tuning: { leaseSeconds: settings.leaseSeconds },
  })
  log.info({ port: relay.port, functions: Object.keys(landscape.functions) }, 'listening')
  stopOnSignals(async () => {
    await relay.stop(settings.graceSeconds)
    await Promise.all([local.close(), ofLeases.close()])
    await traces?.close()
  })
}

/** The relay lists a remote cluster once and then watches it. An additional socket would cost more than ten sequential lists. */
const remoteConnections = { connections: 1 }

/** The URL of each function, and the token that the relay sends. */
const hostAccess = (settings: RelaySettings): HostAccess => {
  const { host, routes, hostAuthorities, hostTokenFile, callerProof, callerSecret } = settings
  const routeOf = fresh((name: string) => routes && textIn(join(routes, name)))
  const textOf = fresh((file: string) => readFileSync(file, 'utf8').trim())
  return {
    urlOf: name => routeOf(name) ?? host.replaceAll('{function}', name),
    token: async () => (callerProof === 'secret' ? (callerSecret ?? '') : textOf(hostTokenFile)),
    authorities: () => hostAuthorities && textOf(hostAuthorities),
  }
}

const textIn = (file: string): string | undefined =>
  existsSync(file) ? readFileSync(file, 'utf8').trim() || undefined : undefined

const freshMilliseconds = 5_000

/** Caches for some seconds, because tokens and routes change while the relay runs, but not between two calls. */
const fresh = <T>(read: (name: string) => T): ((name: string) => T) => {
  const last = new Map<string, { value: T; until: number }>()
  return name => {
    const known = last.get(name)
    if (known && known.until > performance.now()) return known.value
    const value = read(name)
    last.set(name, { value, until: performance.now() + freshMilliseconds })
    return value
  }
}

/** Every start has a new name, because Leases of an earlier relay on this machine do not belong to this relay. */
const sharing = ({ shards, address, listen }: RelaySettings, client: Client): Sharing | undefined =>
  shards === 1
    ? undefined
    : {
        client,
        me: `${hostname()
          .toLowerCase()
          .replaceAll(/[^-a-z0-9]/g, '-')}-${randomBytes(3).toString('hex')}`,
        address: address ?? `http://${ownHost(networkInterfaces())}:${listen.port}`,
        count: shards,
      }

begin({ name: 'relay', heapGrowth: 'least' }, async () => ({ table: relaySettings, run }))
