// Runs the relay: watches, schedules and handed-over keys fill queues, and queues become calls. The relay stores nothing. At each start,
// the relay lists all objects, so the process may be killed at any moment.
import type { Landscape } from '../api/serverless.ts'
import type { Log } from '../core/log.ts'
import type { Client, Clusters } from '../kube/client-types.ts'
import type { ListenerLimits } from '../listener/server.ts'
import { type Calls, createCalls, shardText } from './calls/calls.ts'
import { createHost, type Host, type HostAccess } from './calls/function-host.ts'
import { type RelayMetrics, relayMetrics } from './metrics.ts'
import { type Observation, startObserving } from './observe.ts'
import { type Reconciler, reconcilersOf } from './reconcilers.ts'
import { Rounds, startSchedules, startSweep } from './rounds.ts'
import { HandedOverKeys, type Listening, listen, type RelayServerParts } from './server.ts'
import { Leases } from './shards/leases.ts'
import { allShards, type Shards, type ShardsOptions, SharedShards } from './shards/shards.ts'
import { Backoff, pause, type RelayClock, systemClock } from './time/clock.ts'
import { NamespacedKinds } from './watches/namespaced-kinds.ts'

export type Relay = {
  readonly port: number
  /** Resolves when each local watch has listed once, or failed. */
  readonly ready: Promise<void>
  /** Waits for running calls, and aborts them after `graceSeconds`. A second `stop` waits for the same end. */
  stop(graceSeconds?: number): Promise<void>
}

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
  /** A client of its own for Leases, so that their renewal does not wait for thousands of lists. Default: the local client. */
  client?: Client
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
  /**
   * Like `idleSeconds`, for remote clusters. The time is longer than between two bookmarks, so that thousands of quiet streams need not be
   * resumed all the time. A dead connection is found earlier, by a ping.
   */
  remoteIdleSeconds: number
  maxInFlight: number
  pollSeconds: number
  /** A relay whose Lease does not change for this time counts as dead. */
  leaseSeconds: number
}

const usualTuning: Tuning = {
  idleSeconds: 9,
  remoteIdleSeconds: 150,
  maxInFlight: 256,
  pollSeconds: 60,
  leaseSeconds: 9,
}

/** A Lease of 9 s is renewed every 2 s. So a relay keeps its shards after one missed renewal, and a dead relay is replaced within 15 s. */
const renewalsPerLease = 4.5

/** Resolves when the relay listens. The relay answers 503 until it knows its shards, and then accepts keys. */
export const startRelay = async (options: RelayOptions): Promise<Relay> => {
  const run = new Run(options, await options.clusters.of('local'))
  const listening = await run.listen()
  const ready = run.begin()
  let ended: Promise<void> | undefined
  const stop = (graceSeconds = 20) => {
    ended ??= run.end(graceSeconds, ready)
    return ended
  }
  return { port: listening.port, ready, stop }
}

class Run {
  readonly #options: RelayOptions
  readonly #tuning: Tuning
  readonly #clock: RelayClock
  readonly #local: Client
  readonly #reconcilers: readonly Reconciler[]
  readonly #metrics: RelayMetrics
  readonly #host: Host
  readonly #shards: Shards
  readonly #calls: Calls
  readonly #rounds: Rounds
  readonly #handover: HandedOverKeys
  readonly #stopped = new AbortController()
  #phase: 'starts' | 'works' | 'ends' = 'starts'
  #isListed = false
  #observation: Observation | undefined
  #listening: Listening | undefined
  #stopTimers: (() => void)[] = []

  constructor(options: RelayOptions, local: Client) {
    const { landscape, log, host } = options
    this.#options = options
    this.#tuning = { ...usualTuning, ...options.tuning }
    this.#clock = options.clock ?? systemClock
    this.#metrics = options.metrics ?? relayMetrics()
    this.#local = local
    this.#reconcilers = reconcilersOf(landscape)
    this.#host = createHost(host)
    this.#shards = this.#sharedOrAll()
    const parts = { clock: this.#clock, log }
    this.#calls = createCalls({
      ...parts,
      reconcilers: this.#reconcilers,
      host: this.#host,
      shards: this.#shards,
      homeOf: (name, key) => this.#observation?.homeOf(name, key),
      isBeginning: home => this.#observation?.isBeginning(home) ?? false,
      maxInFlight: this.#tuning.maxInFlight,
      taken: this.#metrics.taken,
      ended: this.#metrics.ended,
    })
    this.#rounds = new Rounds({ ...parts, client: local, enqueue: this.#calls.call })
    this.#handover = new HandedOverKeys({
      log,
      functions: this.#reconcilers.map(({ name }) => name),
      calls: this.#calls,
      shards: this.#shards,
      closedBecause: () => (this.#phase === 'works' ? undefined : `the relay ${this.#phase}`),
      token: host.token,
    })
    this.#metrics.read(this.#calls.lanes, this.#clock)
    this.#metrics.shardsHeld(() => this.#shards.held)
  }

  async listen(): Promise<Listening> {
    const { refuses, log, limits, listen: where } = this.#options
    const faults = () => this.#faults()
    this.#listening = await listen(
      { refuses, accept: keys => this.#handover.accept(keys), faults, metrics: this.#metrics, log, limits },
      where,
    )
    return this.#listening
  }

  async begin(): Promise<void> {
    const scopes = new NamespacedKinds(this.#local.bound({ signal: this.#stopped.signal }))
    await this.#untilItWorks(() => scopes.learnAll(this.#reconcilers))
    if (this.#stopped.signal.aborted) return
    await this.#shards.join()
    if (this.#stopped.signal.aborted) return
    this.#phase = 'works'
    this.#observation = this.#observe(scopes)
    this.#startTimers()
    await Promise.all(this.#observation.local.map(watch => watch.tried))
    this.#isListed = true
  }

  async end(graceSeconds: number, begun: Promise<void>): Promise<void> {
    this.#phase = 'ends'
    this.#stopped.abort()
    for (const stop of this.#stopTimers) stop()
    this.#rounds.stop()
    const callsEnded = this.#calls.stop(graceSeconds)
    await Promise.all([this.#observation?.stop(), begun])
    await callsEnded
    await this.#leave()
    await Promise.all([this.#listening?.close(), this.#host.close(), this.#handover.close()])
  }

  #sharedOrAll(): Shards {
    const { sharing, landscape, log } = this.#options
    if (!sharing) return allShards
    const { leaseSeconds } = this.#tuning
    const renewSeconds = leaseSeconds / renewalsPerLease
    const today = () => this.#clock.today()
    const namespace = landscape.provider.namespace
    const leases = new Leases({ client: this.#local, namespace, ...sharing, leaseSeconds, today })
    const gained: ShardsOptions['gained'] = (shards, isGained) => this.#callGained(shards, isGained)
    return new SharedShards({ ...sharing, leases, clock: this.#clock, log, leaseSeconds, renewSeconds, gained })
  }

  /** Calls each key of the gained shards, because the previous relay of these shards may have died during a call. */
  #callGained(shards: readonly number[], isGained: (text: string) => boolean): void {
    for (const reconciler of this.#reconcilers) {
      const after = (key: { namespace: string; name: string }) =>
        isGained(shardText(reconciler.name, key)) ? 0 : undefined
      void this.#rounds.run({ reconciler, after, why: `shards gained: ${shards}` })
    }
  }

  #observe(scopes: NamespacedKinds): Observation {
    const { landscape, clusters, log } = this.#options
    const { remoteIdleSeconds, pollSeconds } = this.#tuning
    const idleSeconds = { local: this.#tuning.idleSeconds, remote: remoteIdleSeconds }
    return startObserving({
      reconcilers: this.#reconcilers,
      remotes: landscape.provider.remotes ?? {},
      local: this.#local,
      clusters,
      calls: this.#calls,
      scopes,
      surroundings: { clock: this.#clock, log, idleSeconds, resumed: this.#metrics.resumed },
      pollSeconds,
      reached: this.#metrics.reached,
    })
  }

  #startTimers(): void {
    const parts = { clock: this.#clock, rounds: this.#rounds }
    const { sweepSeconds } = this.#options.landscape.provider
    this.#stopTimers = [
      startSchedules(this.#reconcilers, parts),
      startSweep(this.#reconcilers, { ...parts, sweepSeconds }),
    ]
  }

  async #untilItWorks(attempt: () => Promise<unknown>): Promise<void> {
    const backoff = new Backoff({ baseSeconds: 0.5, maxSeconds: 10 })
    const { signal } = this.#stopped
    while (!signal.aborted) {
      try {
        await attempt()
        return
      } catch (error) {
        this.#options.log.warn({ err: error }, 'the API server cannot be reached yet')
        await pause(this.#clock, backoff.nextMilliseconds(), signal)
      }
    }
  }

  /** If the API server is unreachable, the Leases expire by themselves. */
  async #leave(): Promise<void> {
    try {
      await this.#shards.leave()
    } catch (error) {
      this.#options.log.warn({ err: error }, 'shards cannot be released')
    }
  }

  /** Faults for /readyz; empty when the relay is ready. */
  #faults(): Record<string, string> {
    if (this.#phase === 'ends') return { relay: 'it is shutting down' }
    if (!this.#isListed) return { relay: 'the initial list is not complete yet' }
    const causes = (this.#observation?.local ?? []).map(({ interruption }) => interruption?.cause)
    // `notServed` does not count, because the API server answered.
    const isBlind = causes.length > 0 && causes.every(cause => cause !== undefined && cause !== 'notServed')
    return isBlind ? { apiServer: `no watch works: ${[...new Set(causes)].join(', ')}` } : {}
  }
}
