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

type Target = { readonly url: string; readonly ca: string; readonly path: string }
export type Pace = { readonly perSecond: number; readonly seconds: number }

export type Reported = {
  readonly events: number
  readonly seconds: number
  /** Of those that were answered 200, in milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly refused: number
  readonly firstRefusal: string | undefined
}

type Reporting = {
  readonly pools: ReadonlyMap<string, Pool>
  readonly target: Target
  readonly milliseconds: ReturnType<typeof createHistogram>
  events: number
  seconds: number
  refused: number
  firstRefusal: string | undefined
}

let agents: readonly Agent[] = []
const all = new Map<string, Reporting>()
/** By agent, when its last event was sent to whom it is about. */
const lastSent = new Map<string, number>()

const report = async (one: Reporting, { name, event }: Agent): Promise<void> => {
  const began = performance.now()
  try {
    const { statusCode, body } = await (one.pools.get(name) as Pool).request({
      ...{ method: 'POST', path: one.target.path, headers: { 'content-type': 'application/json' } },
      body: JSON.stringify(event),
    })
    const text = await body.text()
    if (statusCode !== 200) throw new Error(`${statusCode} ${text}`)
    one.milliseconds.record(Math.max(1, Math.round((performance.now() - began) * 1_000)))
  } catch (error) {
    one.refused++
    one.firstRefusal ??= String(error)
  }
}

const commands = {
  begin: (given: readonly Agent[], targets: Readonly<Record<string, Target>>): void => {
    agents = given
    for (const [name, target] of Object.entries(targets)) {
      const poolOf = ({ certificate, key }: Agent) =>
        new Pool(target.url, { connections: 4, connect: { ca: target.ca, cert: certificate, key } })
      const pools = new Map(agents.map(agent => [agent.name, poolOf(agent)]))
      const milliseconds = createHistogram({ figures: 3 })
      all.set(name, { pools, target, milliseconds, ...{ events: 0, seconds: 0, refused: 0, firstRefusal: undefined } })
    }
  },
  /** What has been counted is forgotten with `warmUp`. */
  write: async (target: string, { perSecond, seconds }: Pace, warmUp = false): Promise<void> => {
    const one = all.get(target)
    if (!one) throw new Error(`there is no target ${target}`)
    const underWay: Promise<void>[] = []
    const began = performance.now()
    for (let turn = 0; turn < perSecond * seconds; turn++) {
      const early = (turn * 1_000) / perSecond - (performance.now() - began)
      if (early > 1) await wait(early)
      const agent = agents[turn % agents.length] as Agent
      lastSent.set(agent.name, Date.now())
      underWay.push(report(one, agent))
    }
    await Promise.all(underWay)
    one.events += underWay.length
    one.seconds += (performance.now() - began) / 1_000
    if (!warmUp) return
    one.milliseconds.reset()
    Object.assign(one, { events: 0, seconds: 0, refused: 0, firstRefusal: undefined })
  },
  told: (target: string): Reported => {
    const { events, seconds, refused, firstRefusal, milliseconds } = all.get(target) as Reporting
    const at = (percent: number) => milliseconds.percentile(percent) / 1_000
    return { events, seconds, refused, firstRefusal, p50: at(50), p99: at(99) }
  },
  lastSent: () => lastSent,
}

export type EventWriter = typeof commands

serveParent(commands)
