// What a relay is given at its start, and the times that it keeps by.
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
  /** The limits of that listener; usualLimits of shared/listener/server.ts when absent. */
  limits?: ListenerLimits
  /** Decides who may hand over keys: undefined lets the caller in. */
  refuses: RelayServerParts['refuses']
  log: Log
  /** Given when several relays share the keys, by Leases in the landscape's namespace. */
  sharing?: Sharing
  /** Given when the caller counts into the same metrics. */
  metrics?: RelayMetrics
  clock?: RelayClock
  tuning?: Partial<Tuning>
}

export type Sharing = {
  /** The relay's name in Leases: unlike that of every other relay, and new at every start. */
  me: string
  address: string
  /** The number of shards, the same for all relays. */
  count: number
}

export type Tuning = {
  /**
   * A stream on which nothing arrives for so long counts as broken. API servers send a bookmark only once a minute, so the relay
   * asks for streams that end, with a bookmark, 2 s earlier. Example: with 9 s a quiet stream ends after 7 s and is resumed; a hung
   * one is noticed after 9 s.
   */
  idleSeconds: number
  /** The same in remote clusters; longer, because there are many of them. */
  remoteIdleSeconds: number
  maxInFlight: number
  pollSeconds: number
  /** A relay whose Lease did not change for so long counts as dead. */
  leaseSeconds: number
}

export const usualTuning: Tuning = {
  idleSeconds: 9,
  remoteIdleSeconds: 60,
  maxInFlight: 256,
  pollSeconds: 60,
  leaseSeconds: 9,
}
