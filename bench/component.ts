// `npm run bench:component [-- --size 50x30 …]`: Components on a real API server, made, idle, changed and deleted, beside a bare
// loop of server-side applies over the same objects. `--size` measures these sizes alone, components × dependents, in the
// order given. Thousands of Components are in many-components.ts.
import { parseArgs } from 'node:util'
import { type Life, life, type Size } from './component/life.ts'
import { onStage, type Stage } from './component/stage.ts'
import { callsOf, rowsOf, sizeText, totalOf } from './component/table.ts'
import { figures, type Goal, print } from './measure/report.ts'

const { values } = parseArgs({
  options: { size: { type: 'string', multiple: true } },
})

const usualSizes: readonly Size[] = [
  { components: 1, dependents: 1_000 },
  { components: 10, dependents: 30 },
  { components: 50, dependents: 30 },
  { components: 10, dependents: 300 },
]

const sizeIn = (text: string): Size => {
  const [components, dependents] = text.split('x').map(Number)
  if (!components || !dependents) throw new Error(`--size ${text}: expected components x dependents, as in 50x30`)
  return { components, dependents }
}

const sizes = values.size?.map(sizeIn) ?? usualSizes

const rounds = 3

const about = `Components of one chart whose dependents are ConfigMaps of some 500 bytes, without Events on these; a kube-apiserver
with etcd, host and relay as programs of their own with the usual settings. Seconds are from the first request until a
watch has told that all are Ready, or gone; an idle pass is one call of the function for each Component. Beside them, before
each round, a bare undici loop of server-side applies over the same objects, 16 at once. Each size is gone through ${rounds + 1} times:
the first does not count, as programs that run for weeks are not judged by code that V8 has yet to compile, and of the others
the one is told whose creation is the middle one. API calls are the host's own count; the relay's watches are not in it. Once a
minute three GETs tell it, for all Components, what the cluster serves: they count in whichever stage they fall. CPU is that
of host and relay, memory the most that either has held so far.`

const run = async (stage: Stage): Promise<void> => {
  const lives: Life[] = []
  for (const size of sizes) lives.push(await typicalLife(stage, size))
  print({ title: 'Components', about, tables: [lives.flatMap(rowsOf)], goals: lives.flatMap(goalsOf) })
}

const typicalLife = async (stage: Stage, size: Size): Promise<Life> => {
  const warm = await life(stage, size)
  const lives: Life[] = []
  for (let round = 0; round < rounds; round++) lives.push(await life(stage, size))
  const sorted = lives.toSorted((one, other) => shareOf(one) - shareOf(other))
  return sorted[Math.floor(rounds / 2)] ?? warm
}

/** Of the bare loop's pace. */
const shareOf = ({ components, dependents, stages: { create }, bare }: Life): number =>
  (components * dependents) / create.seconds / bare.create

const goalsOf = (one: Life): Goal[] => [callsGoal(one), paceGoal(one), idleGoal(one)]

const callsGoal = (one: Life): Goal => {
  const each = totalOf(one.stages.create) / one.components
  const most = 2 * one.dependents + 10
  return {
    asks: `CO-97 ${sizeText(one)}: creating takes at most 2D+10 = ${figures(most)} calls for each`,
    found: `${figures(each)} calls`,
    isMet: each <= most,
  }
}

const paceGoal = (one: Life): Goal => {
  const share = shareOf(one)
  return {
    asks: `${one.dependents === 1_000 ? 'CO-99 ' : ''}${sizeText(one)}: create at 70 % of the bare loop or better`,
    found: `${figures(share * 100)} %`,
    isMet: share >= 0.7,
  }
}

const objectsPerPage = 500
/** By which a host learns what the cluster serves. */
const onceAMinute = 3

const idleGoal = (one: Life): Goal => {
  const { idle } = one.stages
  const writes = totalOf(idle) - callsOf(idle, 'GET')
  const gets = callsOf(idle, 'GET')
  const each = gets / one.components
  // The Component, the chart's ConfigMap, and the pages of one LIST, of which the last may be empty.
  const most = (2 + Math.floor(one.dependents / objectsPerPage) + 1) * one.components + onceAMinute
  return {
    asks: `CO-98 ${sizeText(one)}: an idle pass is the GET of the component, at most one LIST per kind and what it refers to, and no write`,
    found: `${figures(each)} GETs for each, ${writes} writes`,
    isMet: writes === 0 && gets <= most,
  }
}

await onStage(run)
