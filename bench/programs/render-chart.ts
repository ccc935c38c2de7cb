// Renders one chart in a process of its own, the first time and then again and again, and says what it took: a line of JSON.
import { readFileSync } from 'node:fs'
import { isMap } from '../../shared/core/json.ts'
import { readYaml } from '../../shared/core/yaml/read.ts'
import { template } from '../../shared/render/helm/template.ts'
import { filesIn } from '../../tests/corpus/chart-cases.ts'
import { renderContext } from '../../tests/make/render-context.ts'
import { median } from '../measure/load.ts'

export type ChartRendering = {
  readonly objects: number
  /** From the files in memory to objects, in a process that has rendered nothing yet. */
  readonly firstMilliseconds: number
  readonly laterMilliseconds: number
  /** What the process held before, and at most. */
  readonly idleMegabytes: number
  readonly peakMegabytes: number
}

const [chart = '', valuesFile = '', cluster = ''] = process.argv.slice(2)
const rounds = 15

const files = filesIn(chart)
const values = readYaml(readFileSync(valuesFile, 'utf8')) ?? {}
const context = renderContext(cluster === '' ? {} : { cluster: JSON.parse(cluster) })

const rendered = (): number => {
  const rendering = template(files)(context, isMap(values) ? values : {})
  return 'objects' in rendering ? rendering.objects.length : 0
}

const timed = (): number => {
  const begin = performance.now()
  rendered()
  return performance.now() - begin
}

const idleMegabytes = process.memoryUsage.rss() / 1e6
const firstMilliseconds = timed()
const laterMilliseconds = median(Array.from({ length: rounds }, timed))
const told: ChartRendering = {
  objects: rendered(),
  firstMilliseconds,
  laterMilliseconds,
  idleMegabytes,
  peakMegabytes: (process.resourceUsage().maxRSS * 1024) / 1e6,
}
process.stdout.write(`${JSON.stringify(told)}\n`)
