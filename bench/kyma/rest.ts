// What host and relay do while nothing changes: the periodic calls, of which each should be cheap and write nothing.
import { setTimeout as wait } from 'node:timers/promises'
import { cpuSeconds, cpuSecondsSince, residentMegabytes } from '../measure/process.ts'
import { sumOf } from '../measure/prometheus.ts'
import { progress } from '../measure/report.ts'
import { requestsIn } from './requests.ts'
import type { Programs, Stage } from './stage.ts'

export type Rest = {
  readonly seconds: number
  readonly calls: number
  readonly host: Asked
  readonly relay: Asked
  readonly hostMegabytes: number
  readonly relayMegabytes: number
  /** By program. */
  readonly cpuSeconds: Readonly<Record<string, number>>
}

type Asked = { readonly reads: number; readonly writes: number }

export const rest = async (stage: Stage, programs: Programs, minutes: number): Promise<Rest> => {
  const before = await counted(stage, programs)
  for (let minute = 1; minute <= minutes; minute++) {
    await wait(60_000)
    progress(`${minute} of ${minutes} minutes without a change`)
  }
  const after = await counted(stage, programs)
  const between = (program: 'host' | 'relay') => ({
    reads: after[program].reads - before[program].reads,
    writes: after[program].writes - before[program].writes,
  })
  return {
    seconds: (after.at - before.at) / 1000,
    calls: after.calls - before.calls,
    host: between('host'),
    relay: between('relay'),
    hostMegabytes: residentMegabytes(programs.host.pid),
    relayMegabytes: residentMegabytes(programs.relay.pid),
    cpuSeconds: cpuSecondsSince(before.cpu, after.cpu),
  }
}

const counted = async (stage: Stage, { host, relay, hostMetrics, relayMetrics }: Programs) => {
  const cpu: Readonly<Record<string, number>> = {
    host: cpuSeconds(host.pid),
    relay: cpuSeconds(relay.pid),
    ...stage.cpuSeconds(),
  }
  const [ofHost, ofRelay] = await Promise.all([hostMetrics(), relayMetrics()])
  return {
    at: performance.now(),
    calls: sumOf(ofHost, 'controller_runtime_reconcile_total'),
    host: requestsIn(ofHost),
    relay: requestsIn(ofRelay),
    cpu,
  }
}
