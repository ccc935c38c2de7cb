// What the host has asked of all API servers, as its metrics tell.
import { sumOf } from '../measure/prometheus.ts'
import type { Programs } from './stage.ts'

export type Requests = { readonly reads: number; readonly writes: number }

const name = 'rest_client_requests_total'

export const requestsIn = (metrics: string): Requests => {
  const reads = sumOf(metrics, name, { method: 'GET' })
  return { reads, writes: sumOf(metrics, name) - reads }
}

/**
 * During the work, which must not take ten seconds: whoever asks for the metrics has the host read all Kymas, if it has not done so for as
 * long.
 */
export const requestsDuring = async (programs: Programs, work: () => Promise<unknown>): Promise<Requests> => {
  await programs.hostMetrics()
  const before = requestsIn(await programs.hostMetrics())
  await work()
  const after = requestsIn(await programs.hostMetrics())
  return { reads: after.reads - before.reads, writes: after.writes - before.writes }
}
