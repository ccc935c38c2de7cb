// Agents of many runtimes that report events at a steady pace, each with a certificate and connections of its own.
import { createHistogram } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { Pool } from 'undici'
import type { RuntimeEvent } from '../../shared/api/kyma/runtime-event.ts'
import { serveParent } from '../measure/worker.ts'

export type Agent = {
  readonly name: string
  readonly certificate: string
  readonly key: string
  readonly event: RuntimeEvent
}

export type Target = { readonly url: string; readonly ca: string; readonly path: string }
export type Pace = { readonly perSecond: number; readonly seconds: number }

export type Reported = {
  readonly events: number
  readonly seconds: number
  /** Of those that were answered 200, in milliseconds. */
  readonly p50: number
  readonly p99: number
  /** How many there were of each: the code, and whether a 429 said when to come again. */
  readonly answers: Readonly<Record<string, number>>
}

type Reporting = {
  readonly pools: ReadonlyMap<string, Pool>
  readonly target: Target
  readonly milliseconds: ReturnType<typeof createHistogram>
  events: number
  seconds: number
  answers: Record<string, number>
  /** By agent, when its last event was sent. */
  readonly lastSent: Map<string, number>
}

let agents: readonly Agent[] = []
const all = new Map<string, Reporting>()

const reportingTo = (target: string): Reporting => {
  const one = all.get(target)
  if (!one) throw new Error(`there is no target ${target}`)
  return one
}

const report = async (one: Reporting, { name, event }: Agent): Promise<void> => {
  const began = performance.now()
  const answer = await answerOf(one, name, JSON.stringify(event)).catch((error: Error) => error.message)
  one.answers[answer] = (one.answers[answer] ?? 0) + 1
  if (answer === '200') one.milliseconds.record(Math.max(1, Math.round((performance.now() - began) * 1_000)))
}

const answerOf = async ({ pools, target }: Reporting, name: string, body: string): Promise<string> => {
  const { statusCode, headers, ...answer } = await (pools.get(name) as Pool).request({
    method: 'POST',
    path: target.path,
    headers: { 'content-type': 'application/json' },
    body,
  })
  await answer.body.dump()
  return statusCode === 429 && headers['retry-after'] ? '429 with Retry-After' : String(statusCode)
}

const commands = {
  begin: (given: readonly Agent[], targets: Readonly<Record<string, Target>>, connections: number): void => {
    agents = given
    for (const [name, target] of Object.entries(targets)) {
      const poolOf = ({ certificate, key }: Agent) =>
        new Pool(target.url, { connections, connect: { ca: target.ca, cert: certificate, key } })
      const pools = new Map(agents.map(agent => [agent.name, poolOf(agent)]))
      const milliseconds = createHistogram({ figures: 3 })
      all.set(name, { pools, target, milliseconds, events: 0, seconds: 0, answers: {}, lastSent: new Map() })
    }
  },
  /** What has been counted is forgotten with `warmUp`. */
  write: async (target: string, { perSecond, seconds }: Pace, warmUp = false): Promise<void> => {
    const one = reportingTo(target)
    const underWay: Promise<void>[] = []
    const began = performance.now()
    for (let turn = 0; turn < perSecond * seconds; turn++) {
      const early = (turn * 1_000) / perSecond - (performance.now() - began)
      if (early > 1) await wait(early)
      const agent = agents[turn % agents.length] as Agent
      one.lastSent.set(agent.name, Date.now())
      underWay.push(report(one, agent))
    }
    await Promise.all(underWay)
    one.events += underWay.length
    one.seconds += (performance.now() - began) / 1_000
    if (!warmUp) return
    one.milliseconds.reset()
    Object.assign(one, { events: 0, seconds: 0, answers: {} })
  },
  told: (target: string): Reported => {
    const { events, seconds, answers, milliseconds } = reportingTo(target)
    const at = (percent: number) => milliseconds.percentile(percent) / 1_000
    return { events, seconds, answers, p50: at(50), p99: at(99) }
  },
  lastSent: (target: string) => reportingTo(target).lastSent,
}

export type EventWriter = typeof commands

serveParent(commands)
