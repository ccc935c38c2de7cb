// The options of a relay, and its times.
import type { Landscape } from '../api/serverless.ts'
import type { Log } from '../core/log.ts'
import type { Clusters } from '../kube/client-types.ts'
import type { ListenerLimits } from '../listener/server.ts'
import type { HostAccess } from './calls/function-host.ts'
import type { RelayMetrics } from './metrics.ts'
import type { RelayServerParts } from './server/server.ts'
import type { RelayClock } from './time/clock.ts'

export type RelayOptions = {
  landscape: Landscape
  clusters: Clusters
  host: HostAccess
  listen: { host: string; port: number }
  /** Limits of the listener. Default: usualLimits. */
  limits?: ListenerLimits
  /** Returns undefined for callers that may send keys. */
  refuses: RelayServerParts['refuses']
  log: Log
  /** Set when several relays share the keys, by Leases in the landscape's namespace. */
  sharing?: Sharing
  /** Set when the caller uses the same metrics. */
  metrics?: RelayMetrics
  clock?: RelayClock
  tuning?: Partial<Tuning>
}

export type Sharing = {
  /** The relay's name in Leases: unique, and new at each start. */
  me: string
  address: string
  /** The number of shards, the same for all relays. */
  count: number
}

export type Tuning = {
  /**
   * A stream without data for this time counts as broken. API servers send bookmarks only once a minute, so the relay requests streams that
   * end 2 s earlier with a bookmark. Example: with 9 s, a quiet stream ends after 7 s and is resumed; a broken stream is detected after 9
   * s.
   */
  idleSeconds: number
  /** Like `idleSeconds`, for remote clusters. The time is longer, because there are many remote clusters. */
  remoteIdleSeconds: number
  maxInFlight: number
  pollSeconds: number
  /** A relay whose Lease does not change for this time counts as dead. */
  leaseSeconds: number
}

export const usualTuning: Tuning = {
  idleSeconds: 9,
  remoteIdleSeconds: 60,
  maxInFlight: 256,
  pollSeconds: 60,
  leaseSeconds: 9,
}
