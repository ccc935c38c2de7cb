// A real host and real relays in this process, each on its own way to the API server, with a fault proxy on every way:
// relay to API server, relay to host, host to API server. What they say and answer is kept.
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { inspect } from 'node:util'
import type { Landscape } from '../../shared/api/serverless.ts'
import type { Outcome } from '../../shared/core/decisions/outcome.ts'
import { parsedJson } from '../../shared/core/json/json.ts'
import type { Log } from '../../shared/core/log.ts'
import { readLandscape } from '../../shared/deploy/landscape/landscape.ts'
import { hostApps } from '../../shared/http/app.ts'
import { sharedSecret } from '../../shared/http/callers.ts'
import { hostContext } from '../../shared/http/host-context.ts'
import { readiness } from '../../shared/http/readiness.ts'
import { hostLog } from '../../shared/http/telemetry/log.ts'
import { type HostMetrics, hostMetrics } from '../../shared/http/telemetry/metrics.ts'
import { rendererHere } from '../../shared/main/own/renderer-here.ts'
import { startRelay, type Tuning } from '../../shared/relay/relay.ts'
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { oneCluster } from '../harness/clusters/one-cluster.ts'
import { standingRelayClock } from '../harness/standing-clock.ts'
import { blobsFor } from './blobs.ts'
import { clientTo } from './clients.ts'
import type { Ground } from './ground.ts'
import { type FaultProxy, faultProxy } from './proxy/proxy.ts'
import type { Scenario } from './scenario.ts'
import { storySettings } from './suites/story-settings.ts'
import { twoClusters } from './two-clusters.ts'

export type HostParty = {
  readonly url: string
  metrics(): Promise<string>
  /** Resolves when no call is under way, also none whose caller is dead. */
  idle(): Promise<void>
  stop(): Promise<void>
}

export type RelayParty = {
  /** Between the relay and the API server. */
  readonly api: FaultProxy
  /** Between the relay and the host. */
  readonly calls: FaultProxy
  readonly url: string
  metrics(): Promise<string>
  /** So many seconds pass at once for it. */
  pass(seconds: number): void
  /** Nothing of it passes any more, from this moment on: for everybody else it is dead. */
  kill(): Promise<void>
}

/** What relay and host show each other. */
export const callerSecret = 'the-secret-of-the-fault-tests-alone'

const { functions, ...rest } = readLandscape(new URL('../../serverless.yml', import.meta.url))

/** serverless.yml, as if this were the only function, and without watches that come and go with inventories: they are counted. */
const landscapeOf = (name: string, sweepSeconds: number): Landscape => {
  const settings = functions[name]
  if (!settings) throw new Error(`serverless.yml has no function ${name}`)
  const events = settings.events.filter(event => !('inventory' in event))
  return { ...rest, provider: { ...rest.provider, sweepSeconds }, functions: { [name]: { ...settings, events } } }
}

type Surroundings = { ground: Ground; definition: ReconcileFunction; scenario: Scenario; said: string[] }

const aDay = 86_400

/** A host that serves this function alone, under its own identity. */
export const startHostParty = async ({ ground, definition, scenario, said }: Surroundings): Promise<HostParty> => {
  const client = await ground.clientOf(definition)
  const metrics = hostMetrics()
  const calls = counted(metrics)
  const lines = new Writable({
    write: (line, _encoding, done) => {
      said.push(String(line))
      done()
    },
  })
  const landscape = landscapeOf(definition.name, aDay)
  const apps = hostApps({
    functions: [definition],
    landscape,
    context: hostContext(landscape, {
      ...blobsFor(scenario),
      renderer: rendererHere,
      settingsOf: storySettings,
      clusters: twoClusters(client, ground.far),
    }),
    metrics: calls.metrics,
    readiness: readiness({ client: async () => client }),
    version: '0.0.0',
    checkToken: sharedSecret(callerSecret),
    log: hostLog('debug', lines),
  })
  await apps.functions.listen({ host: '127.0.0.1', port: 0 })
  const { port } = apps.functions.server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    metrics: metrics.text,
    idle: async () => {
      while (calls.underWay() > 0) await wait(5)
    },
    stop: () => apps.functions.close(),
  }
}

/** The same metrics, and the calls under way: to ask for all metrics again and again would be most of what a story computes. */
const counted = (metrics: HostMetrics): { metrics: HostMetrics; underWay: () => number } => {
  let underWay = 0
  const callBegins: HostMetrics['callBegins'] = controller => {
    const callEnds = metrics.callBegins(controller)
    underWay++
    return end => {
      underWay--
      callEnds(end)
    }
  }
  return { metrics: { ...metrics, callBegins }, underWay: () => underWay }
}

/** Whether a host whose metrics these are has no call under way. */
export const isIdle = (metrics: string): boolean => !/^controller_runtime_active_workers\{.*\} [1-9]/m.test(metrics)

export type RelayOptions = { sweepSeconds?: number; tuning?: Partial<Tuning> }

/** A relay that calls this host for this function; resolves when it has listed everything, or failed to. */
export const startRelayParty = async (
  { ground, definition, scenario, said }: Surroundings,
  host: HostParty,
  { sweepSeconds = aDay, tuning = {} }: RelayOptions = {},
): Promise<RelayParty> => {
  const scheme = 'http'
  const api = await faultProxy(ground.cluster, { scheme })
  const onReply = (body: Buffer): void => {
    const reply = body.toString()
    said.push(reply)
    passes(reply)
  }
  const calls = await faultProxy({ url: host.url, caData: '' }, { scheme, onReply })
  const client = clientTo(api, await ground.identityOf('relay'))
  const clock = standingRelayClock()
  const passes = passingShortWaits(scenario, clock)
  const relay = await startRelay({
    clock,
    landscape: landscapeOf(definition.name, sweepSeconds),
    clusters: oneCluster(client),
    host: { urlOf: () => calls.url, token: async () => callerSecret, authorities: pemOf(calls) },
    listen: { host: '127.0.0.1', port: 0 },
    refuses: async () => undefined,
    log: logInto(said),
    tuning,
  })
  const url = `http://127.0.0.1:${relay.port}`
  let dead: Promise<void> | undefined
  const die = async () => {
    await Promise.all([api.close(), calls.close()])
    await relay.stop(0)
    await client.close()
  }
  await relay.ready
  return {
    api,
    calls,
    url,
    metrics: async () => (await fetch(`${url}/metrics`)).text(),
    pass: clock.pass,
    kill: () => {
      dead ??= die()
      return dead
    },
  }
}

/** The relay has the reply by then. */
const deliveredMilliseconds = 100
/** A story has fewer short waits; beyond it they take their time. */
const shortWaitsMost = 30

/** A wait that ends by itself, as the scenario says, is over at once on the clock of the relay, as it is in story.ts. */
const passingShortWaits = ({ goesOnAfterSeconds: seconds }: Scenario, clock: Pick<RelayParty, 'pass'>) => {
  let left = shortWaitsMost
  const isShortWait = (reply: string): boolean => {
    const { outcome, requeueAfterSeconds } = (parsedJson(reply) ?? {}) as Partial<Outcome>
    return outcome === 'waiting' && requeueAfterSeconds === seconds
  }
  return (reply: string): void => {
    if (seconds === undefined || left === 0 || !isShortWait(reply)) return
    left--
    setTimeout(() => clock.pass(seconds), deliveredMilliseconds).unref()
  }
}

const pemOf = ({ caData }: FaultProxy): string => Buffer.from(caData, 'base64').toString()

const logInto = (said: string[]): Log => {
  const say = (fields: object, message: string) => void said.push(`${message} ${inspect(fields, { depth: 9 })}`)
  return { debug: say, info: say, warn: say, error: say }
}
