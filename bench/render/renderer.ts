// One chart in a renderer process as a host starts it, and what that process took.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isMap } from '../../shared/core/json/json.ts'
import { readYaml } from '../../shared/core/yaml/read.ts'
import { type RendererProcess, startRenderer } from '../../shared/runtime/renderer/process.ts'
import { type RenderWork, renderingIn, requestOf } from '../../shared/runtime/renderer/renderer.ts'
import { type ChartCase, filesIn } from '../../tests/corpus/chart-cases.ts'
import { renderContext } from '../../tests/make/component/render-context.ts'
import { median } from '../measure/load.ts'
import { childrenOf, cpuSeconds, peakResidentMegabytes } from '../measure/process.ts'

export type ChartRendering = {
  readonly objects: number
  /** The first of a new process, which is up. */
  readonly first: Spent
  /** In the same process, each time another revision, whose chart is sent and read anew. */
  readonly later: Spent
  /** The same revision: its chart is known. */
  readonly again: Spent
  /** What the process held before, and at most. */
  readonly idleMegabytes: number
  readonly peakMegabytes: number
}

/** `cpu` is that of the process and not of its host. */
export type Spent = { readonly milliseconds: number; readonly cpu: number }

const rounds = 15

/** What a host gives a renderer by default. */
const bytesMost = 384 * 2 ** 20

export const chartRendering = async (one: ChartCase): Promise<ChartRendering> => {
  const before = childrenOf(process.pid)
  const renderer = startRenderer({ path: join(import.meta.dirname, '..', '..', 'dist', 'renderer.mjs'), bytesMost })
  // A renderer keeps nobody awake before it is asked.
  const awake = setInterval(() => {}, 1_000)
  await new Promise<void>(resolve => renderer.whenUp(resolve))
  clearInterval(awake)
  const pid = childrenOf(process.pid).find(child => !before.includes(child)) ?? 0
  try {
    return await measured(one, renderer, pid)
  } finally {
    renderer.kill()
    while (renderer.isAlive) await wait(5)
  }
}

const measured = async (one: ChartCase, renderer: RendererProcess, pid: number): Promise<ChartRendering> => {
  const work = workOf(one)
  const idleMegabytes = peakResidentMegabytes(pid)
  let objects = 0
  const render = async (revision: number, withFiles: boolean): Promise<void> => {
    objects = await objectsOf(work(revision), renderer, withFiles)
  }
  const first = await spent(pid, 1, () => render(1, true))
  const later = await spent(pid, rounds, round => render(round + 2, true))
  const again = await spent(pid, rounds, () => render(rounds + 1, false))
  return { objects, first, later, again, idleMegabytes, peakMegabytes: peakResidentMegabytes(pid) }
}

const objectsOf = async (work: RenderWork, renderer: RendererProcess, withFiles: boolean): Promise<number> => {
  const { answer } = await renderer.ask(requestOf(work, { secondsMost: 120, withFiles }), () => {})
  const rendering = await renderingIn(answer)
  return 'objects' in rendering ? rendering.objects.length : 0
}

/** Each revision has a chart of its own and draws keys of its own. */
const workOf = ({ chart, values, cluster }: ChartCase): ((revision: number) => RenderWork) => {
  const files = filesIn(chart)
  const given = readYaml(readFileSync(values, 'utf8')) ?? {}
  const { draw, at, ...context } = renderContext({ cluster })
  return revision => ({
    order: { recipe: { is: 'chart' }, artifact: { key: `${revision}`, called: chart, packed: { files } } },
    context: { ...context, seed: { key: new Uint8Array(32), uid: context.componentDigest, revision } },
    parameters: isMap(given) ? given : {},
  })
}

const spent = async (pid: number, times: number, render: (round: number) => Promise<void>): Promise<Spent> => {
  const before = cpuSeconds(pid)
  const took: number[] = []
  for (let round = 0; round < times; round++) {
    const began = performance.now()
    await render(round)
    took.push(performance.now() - began)
  }
  return { milliseconds: median(took), cpu: ((cpuSeconds(pid) - before) * 1_000) / times }
}
