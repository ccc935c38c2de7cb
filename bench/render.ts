// `npm run bench:render`: charts rendered by a renderer process and by `helm template`, in the same run: those of the corpus, Istio's,
// and large ones that are made up.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { ChartCase } from '../tests/corpus/chart-cases.ts'
import { helmArguments } from '../tests/corpus/helm-oracle.ts'
import { oracles } from '../tests/harness/oracles.ts'
import { median } from './measure/load.ts'
import { endedChildrenCpuSeconds, peakResidentMegabytes } from './measure/process.ts'
import { buildProduct } from './measure/product.ts'
import { figures, type Goal, print, progress, type Row, ratio } from './measure/report.ts'
import { renderCases } from './render/cases.ts'
import { type ChartRendering, chartRendering } from './render/renderer.ts'

const rounds = 5

const about = `Charts of \`tests/corpus/charts\`, each with those of its values that render most objects; Istio's own, and those that come with
Espalier; and large ones that are made up: 3 MB of definitions that Helm only copies, that a template copies out of files, that a template reads
and writes; a monitoring stack of 235 objects, 5.5 MB of definitions, dashboards and rules; and keys with certificates. Ours: a renderer process as a
host starts it, built; from files in the host to objects in the host. First: in a process that is up and has rendered nothing. Later: another
revision in the same process, its chart sent and read anew, the median of 15. Again: the same revision, its chart known. Helm: a run of \`helm template
--include-crds\`, which is a process and ends with text; median of ${rounds}. CPU is what all threads of the renderer, or of helm, computed for
one rendering; the system counts it in steps of 10 ms. How long helm takes for keys is chance. Memory is what a process held at most, ours with
all 31 renderings and the charts that it keeps.`

type HelmRun = { readonly milliseconds: number; readonly megabytes: number }
type HelmRuns = HelmRun & { readonly cpu: number }

const theirs = async (one: ChartCase): Promise<HelmRuns> => {
  const before = endedChildrenCpuSeconds(process.pid)
  const runs: HelmRun[] = []
  for (let round = 0; round < rounds; round++) runs.push(await helmRun(one))
  return {
    milliseconds: median(runs.map(({ milliseconds }) => milliseconds)),
    cpu: ((endedChildrenCpuSeconds(process.pid) - before) * 1_000) / rounds,
    megabytes: Math.max(...runs.map(({ megabytes }) => megabytes)),
  }
}

const helmRun = async (one: ChartCase): Promise<HelmRun> => {
  const { helm } = await oracles()
  const begin = performance.now()
  const child = spawn(helm, helmArguments(one), { stdio: 'ignore' })
  const exit = once(child, 'exit')
  let megabytes = 0
  // Whether it still runs is known only by looking, and its peak only while it does.
  while (child.exitCode === null && child.pid !== undefined && existsSync(`/proc/${child.pid}/status`)) {
    megabytes = peakOf(child.pid) ?? megabytes
    await wait(2)
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

type Measured = { readonly name: string; readonly ours: ChartRendering; readonly theirs: HelmRuns }

const times = ({ name, ours, theirs }: Measured): Row => ({
  chart: name,
  objects: ours.objects,
  'first ms': ours.first.milliseconds,
  'later ms': ours.later.milliseconds,
  'again ms': ours.again.milliseconds,
  'helm ms': theirs.milliseconds,
  'later : helm': ratio(ours.later.milliseconds, theirs.milliseconds),
  'first CPU ms': ours.first.cpu,
  'later CPU ms': ours.later.cpu,
  'helm CPU ms': theirs.cpu,
  'later : helm, CPU': ratio(ours.later.cpu, theirs.cpu),
})

const memory = ({ name, ours, theirs }: Measured): Row => ({
  chart: name,
  'idle MB': ours.idleMegabytes,
  'at most MB': ours.peakMegabytes,
  'helm at most MB': theirs.megabytes,
  'ours : helm': ratio(ours.peakMegabytes, theirs.megabytes),
})

type Compared = { readonly asks: string; readonly ratio: (one: Measured) => number; readonly most: number }

const comparisons: readonly Compared[] = [
  {
    asks: 'a rendering in a process that lives on takes no longer than a run of helm, on every chart',
    ratio: ({ ours, theirs }) => ours.later.milliseconds / theirs.milliseconds,
    most: 1,
  },
  {
    asks: 'nor does it take more CPU',
    ratio: ({ ours, theirs }) => ours.later.cpu / theirs.cpu,
    most: 1,
  },
  {
    asks: 'the first rendering of a new process takes no more CPU either',
    ratio: ({ ours, theirs }) => ours.first.cpu / theirs.cpu,
    most: 1,
  },
  {
    asks: 'a renderer holds no more than one and a half times the memory of helm',
    ratio: ({ ours, theirs }) => ours.peakMegabytes / theirs.megabytes,
    most: 1.5,
  },
]

const goal = (all: readonly Measured[], { asks, ratio: of, most }: Compared): Goal => {
  const beyond = all.filter(one => of(one) > most).map(one => `${one.name} (${figures(of(one))} ×)`)
  const found = `${all.length - beyond.length} of ${all.length} charts, ${figures(Math.max(...all.map(of)))} × at most; beyond it ${beyond.join(', ') || 'none'}`
  return { asks, found, isMet: beyond.length === 0 }
}

await buildProduct()
const asked = process.argv.slice(2)
const found: Measured[] = []
for (const one of await renderCases()) {
  if (asked.length > 0 && !asked.some(name => one.name.startsWith(name))) continue
  progress(one.name)
  found.push({ name: one.name, theirs: await theirs(one), ours: await chartRendering(one) })
}
print({
  title: 'Rendering',
  about,
  tables: [found.map(times), found.map(memory)],
  goals: comparisons.map(asks => goal(found, asks)),
})
