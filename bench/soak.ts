// `npm run bench:soak [-- --minutes 30]`: Components under hours of changes while one request in a thousand fails, on a real API server.
// Half an hour before a release, six hours (`--minutes 360`) before a major one.
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { churnOf, size } from './component/churn.ts'
import { onStage, type Stage } from './component/stage.ts'
import { median } from './measure/load.ts'
import { figures, type Goal, print, progress, type Row } from './measure/report.ts'
import { startWorker } from './measure/worker.ts'
import type { FaultyApiServer } from './programs/faulty-api-server.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '30' } } })
const minutes = Number(values.minutes)
const samples = 40
/** Longer than any retry of a program waits. */
const settledSeconds = 120

const about = `${size.components} Components of a chart with ${size.dependents} ConfigMaps each. Ten times a second one of them is changed, deleted or made, or somebody else
changes or deletes a dependent. Host and relay reach the API server through a proxy that fails one request in a thousand: the connection breaks before or
after the request, the answer ends in the middle, is 503 or 429, or never comes; every watch breaks after 1,000 events. ${minutes} minutes. Memory is
what a process holds at the end of each quarter: the median of its ${samples / 4} samples. A Component is stuck if it is not Ready ${settledSeconds} s after the last change.`

type Sample = {
  readonly minute: number
  readonly changes: number
  readonly failed: number
  readonly host: number
  readonly relay: number
  readonly stuck: readonly string[]
}

const soak = async ({ cluster, memory }: Stage, failed: () => Promise<number>): Promise<void> => {
  const churn = await churnOf(cluster.api)
  const ending = new AbortController()
  const running = churn.run(ending.signal)
  const found: Sample[] = []
  for (let n = 1; n <= samples; n++) {
    await Promise.race([running, wait((minutes * 60_000) / samples)])
    const sample: Sample = {
      minute: (n * minutes) / samples,
      changes: churn.changes(),
      failed: await failed(),
      ...memory(),
      stuck: await churn.stuck(settledSeconds),
    }
    found.push(sample)
    progress(JSON.stringify(sample))
  }
  ending.abort()
  await running
  await wait(settledSeconds * 1_000)
  const stuck = [...new Set(found.flatMap(sample => sample.stuck))]
  const wrong = [...(await churn.stuck(0)), ...(await churn.wrongDependents())]
  const quarters = [0, 1, 2, 3].map(n => quarter(found.slice((n * samples) / 4, ((n + 1) * samples) / 4)))
  print({
    title: 'Soak',
    about,
    tables: [quarters],
    goals: [...memoryGoals(quarters), noneGoal('stuck', stuck), noneGoal('lost', wrong)],
  })
}

const quarter = (part: readonly Sample[]): Row & { readonly 'host MB': number; readonly 'relay MB': number } => ({
  minutes: part.at(-1)?.minute ?? 0,
  changes: part.at(-1)?.changes ?? 0,
  'requests that failed': part.at(-1)?.failed ?? 0,
  'host MB': median(part.map(({ host }) => host)),
  'relay MB': median(part.map(({ relay }) => relay)),
  stuck: part.reduce((sum, { stuck }) => sum + stuck.length, 0),
})

/** The first quarter fills caches, so the last one is compared with the second. */
const memoryGoals = (quarters: readonly ReturnType<typeof quarter>[]): Goal[] =>
  (['host MB', 'relay MB'] as const).map(column => {
    const [second = Number.NaN, last = Number.NaN] = [quarters[1]?.[column], quarters[3]?.[column]]
    return {
      asks: `RE-95 ${column} of the last quarter within 5 % of the second`,
      found: `${figures(last)} after ${figures(second)}, ${figures(100 * (last / second - 1))} %`,
      isMet: last <= 1.05 * second,
    }
  })

const noneGoal = (what: string, list: readonly string[]): Goal => ({
  asks: `RE-96 no object is ${what}`,
  found: list.length === 0 ? 'none' : `${list.length}: ${list.slice(0, 5).join('; ')}`,
  isMet: list.length === 0,
})

const proxy = startWorker<FaultyApiServer>('faulty-api-server.ts')
await onStage(stage => soak(stage, () => proxy.ask('failed')), {
  through: ({ url, caData }) => proxy.ask('begin', { url, caData }),
})
await proxy.end()
