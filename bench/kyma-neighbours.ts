// `npm run bench:kyma-neighbours [-- --kymas 200 --seconds 30]`: what a runtime in trouble costs the others, on real API servers.
import { parseArgs } from 'node:util'
import { install } from './kyma/fleet.ts'
import { type Neighbours, neighbours } from './kyma/neighbours.ts'
import { modules } from './kyma/objects.ts'
import { onStage, type Stage } from './kyma/stage.ts'
import { figures, type Goal, print, type Row, ratio } from './measure/report.ts'

const { values } = parseArgs({
  options: { kymas: { type: 'string', default: '200' }, seconds: { type: 'string', default: '30' } },
})
const kymas = Number(values.kymas)
const perSecond = 8

const about = `${kymas} runtimes as in the section Kymas. The one in trouble has ten modules; the others have none, since what is measured is how soon
their copies follow: ${perSecond} labels a second are changed at the Kymas in turn, ${values.seconds} s for each row in two turns.`

const run = async (stage: Stage): Promise<void> => {
  const programs = await stage.start()
  await install(stage, { kymas, manifests: modules.length }, n => (n === 0 ? modules.length : 0))
  const found = await neighbours(stage, { kymas, perSecond, seconds: Number(values.seconds) })
  await programs.end()
  print({
    title: 'Neighbours of a runtime in trouble',
    about,
    tables: [found.map(one => neighbourRow(one, found))],
    goals: [neighbourGoal(found)],
  })
}

const neighbourRow = ({ trouble, changes, p50, p99, says }: Neighbours, all: readonly Neighbours[]): Row => ({
  'a runtime is': trouble,
  'changes for others': changes,
  'p50 ms until their copies follow': p50,
  'p99 ms': p99,
  'p99 : without': ratio(p99, all[0]?.p99 ?? 0),
  'its Kyma says': says,
})

const besideMost = 1.2
const neighboursWanted = 200

/** With fewer neighbours it counts for nothing, since they are called more often. */
const neighbourGoal = ([well, ...troubled]: readonly Neighbours[]): Goal => {
  const worst = Math.max(...troubled.map(({ p99 }) => p99 / (well?.p99 ?? 0)))
  const areTold = troubled.every(({ says }) => says !== '')
  return {
    asks: `RE-16 1 of ${neighboursWanted} runtimes is down, silent or answers 401: p99 of the others at most ${besideMost} times, its status says why`,
    found: `${kymas} runtimes, p99 ${figures(worst)} times in the worst case${areTold ? '' : ', and not each trouble was told'}`,
    isMet: kymas >= neighboursWanted && worst <= besideMost && areTold,
  }
}

await onStage({ listsForWatches: false }, run)
