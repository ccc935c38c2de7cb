// `npm run bench:many-components`: nine thousand Components of four dependents each, in programs that begin with none of them. It is
// about memory; it takes half an hour.
import { type Life, life, stages } from './component/life.ts'
import { onStage } from './component/stage.ts'
import { rowsOf, sizeText } from './component/table.ts'
import { figures, type Goal, print } from './measure/report.ts'

const size = { components: 9_000, dependents: 4 }
const megabytes = 300

const about = `Components as above, a hundred in each namespace, gone through once by programs that have just begun: cold, as far as code
is concerned. An idle pass is one call of the function for each Component, 16 at once.`

const memoryGoal = (one: Life): Goal => {
  const most = (program: 'hostMegabytes' | 'relayMegabytes') =>
    Math.max(...stages.map(name => one.stages[name].after[program]))
  const [host, relay] = [most('hostMegabytes'), most('relayMegabytes')]
  return {
    asks: `${sizeText(size)} within ${megabytes} MB, host and relay each, through all stages`,
    found: `host ${figures(host)} MB, relay ${figures(relay)} MB`,
    isMet: Math.max(host, relay) <= megabytes,
  }
}

await onStage(async stage => {
  const one = await life(stage, size)
  print({ title: 'Many Components', about, tables: [rowsOf(one)], goals: [memoryGoal(one)] })
})
