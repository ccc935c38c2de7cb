// `npm run bench:relay [-- --seconds 60]`: the relay on a real API server. First a fresh one finds 10,000 objects; then 500 of
// them are changed a thousand times a second. Relay, function host and writer are processes of their own.
import { parseArgs } from 'node:util'
import { figures, type Goal, print } from './measure/report.ts'
import { type Churned, churn, pace } from './relay/churn.ts'
import { concurrency } from './relay/landscape.ts'
import { type Resynced, resync } from './relay/resync.ts'
import { objects, onStage, type Stage } from './relay/stage.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' } } })

const about = `A kube-apiserver with etcd and ${figures(objects)} ConfigMaps of some 500 bytes; the relay with its usual settings and the token of
a service account, so that priority and fairness count; a function host that settles every key at once, called
${concurrency} at a time. Beside them a program, also begun afresh, that lists the same pages with bare undici and posts every
name to the same host; and the writer without a relay, as fast as it can. Everything shares the cores.`

const run = async (stage: Stage): Promise<void> => {
  const resynced = await resync(stage)
  const churned = await churn(stage, Number(values.seconds))
  const goals = [resyncGoal(resynced), churnGoal(churned)]
  print({ title: 'Relay', about, tables: [[resynced.row], ...churned.tables], goals })
}

const resyncGoal = ({ seconds, refused, peakMegabytes }: Resynced): Goal => ({
  asks: `FN-39 ${figures(objects)} objects resynced in under 30 s without a 429, memory under 200 MB`,
  found: `${figures(seconds)} s, ${refused} answers 429, at most ${figures(peakMegabytes)} MB`,
  isMet: seconds < 30 && refused === 0 && peakMegabytes < 200,
})

const churnGoal = ({ perSecond, possiblePerSecond, depth, lost, megabytes: { before, after } }: Churned): Goal => ({
  asks: `FN-40 ${figures(pace.perSecond)} changes a second for a minute: queue empty 10 s later, memory then within 20 %`,
  found: `${figures(perSecond)} changes a second (${figures(possiblePerSecond)} without a relay), depth ${depth}, ${lost} not called, ${figures(before)} MB before and ${figures(after)} MB after`,
  isMet: perSecond > 0.95 * pace.perSecond && depth === 0 && lost === 0 && after < 1.2 * before,
})

await onStage(run)
