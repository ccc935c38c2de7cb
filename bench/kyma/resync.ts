// Host and relay begin anew, and call every Kyma and every Manifest, of which all are as they should be. When they have ended, a bare loop
// makes as many GETs, as many at once as the two functions have calls.
import { setTimeout as wait } from 'node:timers/promises'
import { inParallel, secondsOf } from '../measure/load.ts'
import { cpuSeconds, cpuSecondsSince, peakResidentMegabytes } from '../measure/process.ts'
import { sumOf } from '../measure/prometheus.ts'
import { progress } from '../measure/report.ts'
import type { Fleet } from './fleet.ts'
import { runtimeOf } from './objects.ts'
import { type Requests, requestsIn } from './requests.ts'
import { collectionOf, type Programs, type Stage } from './stage.ts'

export type Resynced = {
  readonly seconds: number
  readonly requests: Requests
  readonly hostMegabytes: number
  readonly relayMegabytes: number
  /** By program. */
  readonly cpuSeconds: Readonly<Record<string, number>>
  readonly watches: number
}

const pollMilliseconds = 1_000
/** Prometheus asks as often by default. For each answer the host may list all Kymas and Manifests. */
const scrapeMilliseconds = 30_000
const callsAtOnce = 20
const getsMost = 10_000

/** `profiles`: a folder for profiles. The programs go on. */
export const resync = async (
  stage: Stage,
  { expected, profiles }: { readonly expected: Fleet; readonly profiles: string | undefined },
): Promise<{ readonly resynced: Resynced; readonly running: Programs }> => {
  const before = stage.cpuSeconds()
  const began = performance.now()
  const programs = await stage.start(profiles)
  await untilAllCalled(programs, expected)
  const seconds = (performance.now() - began) / 1000
  const requests = requestsIn(await programs.hostMetrics())
  const { host, relay } = programs
  const cost = {
    hostMegabytes: peakResidentMegabytes(host.pid),
    relayMegabytes: peakResidentMegabytes(relay.pid),
    cpuSeconds: {
      host: cpuSeconds(host.pid),
      relay: cpuSeconds(relay.pid),
      ...cpuSecondsSince(before, stage.cpuSeconds()),
    },
  }
  const watches = await stage.proxy.ask('streams')
  return { resynced: { seconds, requests, ...cost, watches }, running: programs }
}

/** How long so many bare GETs take. */
export const bareSecondsOf = async (stage: Stage, { kymas }: Fleet, reads: number): Promise<number> => {
  const gets = Math.min(getsMost, reads)
  const seconds = await secondsOf(() =>
    inParallel(gets, callsAtOnce, n => stage.plane.api.call('GET', `${collectionOf('kymas')}/${runtimeOf(n % kymas)}`)),
  )
  return (seconds * reads) / gets
}

/** Each at least once, and nothing waits any more. */
export const untilAllCalled = async (programs: Programs, { kymas, manifests }: Fleet): Promise<void> => {
  for (let scrapeAt = 0; ; ) {
    await wait(pollMilliseconds)
    const relay = await programs.relayMetrics()
    const waiting = sumOf(relay, 'workqueue_depth')
    const isBusy = waiting > 0 || sumOf(relay, 'workqueue_unfinished_work_seconds') > 0
    if (isBusy && performance.now() < scrapeAt) continue
    scrapeAt = performance.now() + scrapeMilliseconds
    const host = await programs.hostMetrics()
    const called = (controller: string) => sumOf(host, 'controller_runtime_reconcile_total', { controller })
    progress(`${called('kyma')} calls for Kymas, ${called('manifest')} for Manifests, ${waiting} wait`)
    if (!isBusy && called('kyma') >= kymas && called('manifest') >= manifests) return
  }
}
