// Sets of charts: those that stand in where none are configured, as they would be of another release, or with something amiss.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { filesIn } from '../../corpus/chart-cases.ts'
import { testFolder } from '../../harness/test-folder.ts'

export const fallbackCharts = join(import.meta.dirname, '../../../manifests/istio/charts')

type ChartTexts = Readonly<Record<string, string>>

const smallCharts = join(import.meta.dirname, '../../faults/istio-charts')

const textsIn = (folder: string, version: string): ChartTexts =>
  Object.fromEntries(
    [...filesIn(folder)].map(([path, content]) => [
      path,
      Buffer.from(content).toString('utf8').replaceAll('1.30.2', version),
    ]),
  )

/** By path in the set. `more`: further files. */
export const chartTexts = (version: string, more: ChartTexts = {}): ChartTexts => ({
  ...textsIn(fallbackCharts, version),
  ...more,
})

/** Of a set of as few objects as may be. */
export const smallChartTexts = (version: string): ChartTexts => textsIn(smallCharts, version)

/** A folder with these files, as long as the test lasts. */
export const chartFolder = (t: Pick<Test, 'teardown'>, texts: ChartTexts): string => {
  const folder = testFolder(t)
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}
