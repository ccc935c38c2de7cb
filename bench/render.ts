// `npm run bench:render`: every chart of the corpus rendered by us and by `helm template`, in turns in the same run.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { isMap } from '../shared/core/json.ts'
import { readYaml } from '../shared/core/yaml/read.ts'
import { RenderError } from '../shared/render/generator.ts'
import { template } from '../shared/render/helm/template.ts'
import { type ChartCase, chartCases, filesIn } from '../tests/corpus/chart-cases.ts'
import { helmArguments } from '../tests/corpus/helm-oracle.ts'
import { oracles } from '../tests/harness/oracles.ts'
import { renderContext } from '../tests/make/render-context.ts'
import { median } from './measure/load.ts'
import { peakResidentMegabytes } from './measure/process.ts'
import { figures, type Goal, print, progress, type Row, ratio } from './measure/report.ts'
import type { ChartRendering } from './programs/render-chart.ts'

const rounds = 5

const about = `Each chart of \`tests/corpus/charts\` with those of its values that render most objects. Ours: from files in memory to
objects, the chart read anew each time, in a process of its own; the first time in it, and the median of 15 more. Helm: a run of
\`helm template --include-crds\`, which is a process and ends with text; median of ${rounds}. Memory is what a process held at most,
ours with all 17 renderings.`

const run = promisify(execFile)

const ours = async ({ chart, values, cluster }: ChartCase): Promise<ChartRendering> => {
  const program = join(import.meta.dirname, 'programs', 'render-chart.ts')
  const { stdout } = await run(process.execPath, [program, chart, values, JSON.stringify(cluster)])
  return JSON.parse(stdout)
}

type HelmRun = { readonly milliseconds: number; readonly megabytes: number }

const theirs = async (one: ChartCase): Promise<HelmRun> => {
  const { helm } = await oracles()
  const begin = performance.now()
  const child = spawn(helm, helmArguments(one), { stdio: 'ignore' })
  const exit = once(child, 'exit')
  let megabytes = 0
  // Whether it still runs is known only by looking, and its peak only while it does.
  while (child.exitCode === null && child.pid !== undefined && existsSync(`/proc/${child.pid}/status`)) {
    megabytes = peakOf(child.pid) ?? megabytes
    await turn()
  }
  const [code] = await exit
  if (code !== 0) throw new Error(`helm ended with ${code} for ${one.name}`)
  return { milliseconds: performance.now() - begin, megabytes }
}

/** undefined for a process that has just ended. */
const peakOf = (pid: number): number | undefined => {
  try {
    return peakResidentMegabytes(pid)
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}

type Measured = { readonly name: string; readonly ours: ChartRendering; readonly theirs: readonly HelmRun[] }

const measured = async (one: ChartCase): Promise<Measured> => {
  const runs: HelmRun[] = []
  for (let round = 0; round < rounds; round++) runs.push(await theirs(one))
  return { name: one.name, ours: await ours(one), theirs: runs }
}

/** For each chart the values that give most objects; none where all of them are refused, as some in the corpus are. */
const largest = (): ChartCase[] =>
  [...Map.groupBy(chartCases(), ({ chart }) => chart).values()].flatMap(
    cases => cases.filter(one => objectCount(one) > 0).toSorted((a, b) => objectCount(b) - objectCount(a))[0] ?? [],
  )

const objectCount = ({ chart, values, cluster }: ChartCase): number => {
  const given = readYaml(readFileSync(values, 'utf8')) ?? {}
  try {
    const rendering = template(filesIn(chart))(renderContext({ cluster }), isMap(given) ? given : {})
    return 'objects' in rendering ? rendering.objects.length : 0
  } catch (error) {
    if (error instanceof RenderError) return 0
    throw error
  }
}

const helmMilliseconds = (one: Measured): number => median(one.theirs.map(({ milliseconds }) => milliseconds))

const row = (one: Measured): Row => ({
  chart: one.name,
  objects: one.ours.objects,
  'first ms': one.ours.firstMilliseconds,
  'later ms': one.ours.laterMilliseconds,
  'helm ms': helmMilliseconds(one),
  'later : helm': ratio(one.ours.laterMilliseconds, helmMilliseconds(one)),
  'idle MB': one.ours.idleMegabytes,
  'at most MB': one.ours.peakMegabytes,
  'helm at most MB': Math.max(...one.theirs.map(({ megabytes }) => megabytes)),
})

const goal = (all: readonly Measured[]): Goal => {
  const slower = all.filter(one => one.ours.laterMilliseconds > helmMilliseconds(one))
  return {
    wish: 'a process that renders again and again is no slower than a run of helm',
    found: `${all.length - slower.length} of ${all.length} charts; the others ${slower.map(({ name }) => name).join(', ') || 'none'}; slowest ${figures(Math.max(...all.map(({ ours }) => ours.laterMilliseconds)))} ms`,
    isMet: slower.length === 0,
  }
}

const found: Measured[] = []
for (const one of largest()) {
  progress(one.name)
  found.push(await measured(one))
}
print({ title: 'Rendering', about, tables: [found.map(row)], goals: [goal(found)] })
