// `npm run bench:component [-- --many] [-- --size 50x30 …]`: Components on a real API server, made, idle, changed and deleted,
// beside a bare loop of server-side applies over the same objects. `--many` adds nine thousand Components, which takes some ten
// minutes more; `--size` measures these sizes alone, components × dependents, in the order given.
import { parseArgs } from 'node:util'
import { type Life, life, type Measured, type Size, stages } from './component/life.ts'
import { onStage, type Stage, verbs } from './component/stage.ts'
import { figures, type Goal, print, type Row, ratio } from './measure/report.ts'

const { values } = parseArgs({
  options: { many: { type: 'boolean', default: false }, size: { type: 'string', multiple: true } },
})

const usualSizes: readonly Size[] = [
  { components: 1, dependents: 1_000 },
  { components: 10, dependents: 30 },
  { components: 50, dependents: 30 },
  { components: 10, dependents: 300 },
]

const many: Size = { components: 9_000, dependents: 4 }
const manyMegabytes = 300

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
the one is told whose creation is the middle one. API calls are the host's own count; the relay's watches are not in it.
CPU is that of host and relay, memory the most that either has held so far.`

const run = async (stage: Stage): Promise<void> => {
  const lives: Life[] = []
  for (const size of sizes) lives.push(await typicalLife(stage, size))
  if (values.many) lives.push(await life(stage, many))
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

const rowsOf = (one: Life): Row[] => stages.map(name => rowOf(one, name))

const rowOf = (one: Life, name: (typeof stages)[number]): Row => {
  const measured = one.stages[name]
  const all = one.components * one.dependents
  const bare = name === 'create' || name === 'update' ? one.bare[name] : undefined
  return {
    'components × dependents': `${figures(one.components)} × ${figures(one.dependents)}`,
    stage: name,
    seconds: measured.seconds,
    'dependents /s': all / measured.seconds,
    'to the bare loop': bare === undefined ? '–' : ratio(all / measured.seconds, bare),
    ...Object.fromEntries(verbs.map(verb => [verb, callsOf(measured, verb)])),
    'calls for each component': totalOf(measured) / one.components,
    'CPU s': measured.after.cpuSeconds - measured.before.cpuSeconds,
    'host MB': measured.after.hostMegabytes,
    'relay MB': measured.after.relayMegabytes,
  }
}

const callsOf = ({ before, after }: Measured, verb: (typeof verbs)[number]): number =>
  after.calls[verb] - before.calls[verb]

const totalOf = (measured: Measured): number => verbs.reduce((sum, verb) => sum + callsOf(measured, verb), 0)

const goalsOf = (one: Life): Goal[] =>
  one.components === many.components ? [memoryGoal(one)] : [createGoal(one), idleGoal(one)]

const named = ({ components, dependents }: Size): string => `${figures(components)} × ${figures(dependents)}`

const createGoal = (one: Life): Goal => {
  const { create } = one.stages
  const share = shareOf(one)
  const each = totalOf(create) / one.components
  const most = 2 * one.dependents + 10
  return {
    wish: `CO-97 CO-99 ${named(one)}: create at 70 % of the bare loop or better, at most 2D+10 = ${figures(most)} calls for each`,
    found: `${figures(share * 100)} %, ${figures(each)} calls`,
    isMet: share >= 0.7 && each <= most,
  }
}

const objectsPerPage = 500

const idleGoal = (one: Life): Goal => {
  const { idle } = one.stages
  const writes = totalOf(idle) - callsOf(idle, 'GET')
  const each = callsOf(idle, 'GET') / one.components
  // The Component, the chart's ConfigMap, and the pages of one LIST, of which the last may be empty.
  const most = 2 + Math.floor(one.dependents / objectsPerPage) + 1
  return {
    wish: `CO-98 ${named(one)}: an idle pass is the GET of the component, at most one LIST per kind and what it refers to, and no write`,
    found: `${figures(each)} GETs for each, ${writes} writes`,
    isMet: writes === 0 && each <= most,
  }
}

const memoryGoal = (one: Life): Goal => {
  const { hostMegabytes, relayMegabytes } = one.stages.create.after
  return {
    wish: `${named(one)} within ${manyMegabytes} MB`,
    found: `host ${figures(hostMegabytes)} MB, relay ${figures(relayMegabytes)} MB`,
    isMet: Math.max(hostMegabytes, relayMegabytes) <= manyMegabytes,
  }
}

await onStage(run)
