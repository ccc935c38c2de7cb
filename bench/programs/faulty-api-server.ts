// A proxy between the programs of a benchmark and their API server, by which one request in a thousand fails. It is the fault proxy of
// the tests, in a process of its own.
import { type FaultProxy, faultProxy } from '../../tests/faults/proxy/proxy.ts'
import type { Rule } from '../../tests/faults/proxy/rules.ts'
import type { ApiServer } from '../measure/bare-api.ts'
import { serveParent } from '../measure/worker.ts'

const writes = { verbs: ['create', 'update', 'patch', 'delete'] } as const
const reads = { verbs: ['get', 'list'] } as const

/** The shares add up to a thousandth. */
const rules: readonly Omit<Rule, 'times'>[] = [
  { match: {}, share: 0.0003, fault: { do: 'drop' } },
  { match: writes, share: 0.0003, fault: { do: 'swallow' } },
  { match: reads, share: 0.0001, fault: { do: 'truncate' } },
  { match: {}, share: 0.0002, fault: { do: 'answer', code: 503, reason: 'ServiceUnavailable' } },
  {
    match: {},
    share: 0.00005,
    fault: { do: 'answer', code: 429, reason: 'TooManyRequests', retryAfterSeconds: 1 },
  },
  { match: reads, share: 0.00005, fault: { do: 'hang' } },
]

const ofWatches: Rule = {
  match: { verbs: ['watch'] },
  times: Number.POSITIVE_INFINITY,
  fault: { do: 'stream', afterEvents: 1_000, strike: { do: 'cut' } },
}

let proxy: FaultProxy | undefined
let struck: () => number = () => 0

const commands = {
  begin: async (server: ApiServer): Promise<ApiServer> => {
    const started = await faultProxy(server)
    const injected = rules.map(rule => started.inject({ ...rule, times: Number.POSITIVE_INFINITY }))
    started.inject(ofWatches)
    struck = () => injected.reduce((sum, one) => sum + one.struck(), 0)
    proxy = started
    const { url, caData } = started
    return { url, caData }
  },
  /** How many requests failed until now. What the proxy noted of the others is forgotten: hours of it would fill the memory. */
  failed: (): number => {
    proxy?.ledger.reset()
    proxy?.forget()
    return struck()
  },
}

export type FaultyApiServer = typeof commands

serveParent(commands)
