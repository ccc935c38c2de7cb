// What is rendered: charts of the corpus, Istio's own, and large ones that are made up for the run.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isMap } from '../../shared/core/json/json.ts'
import { readYaml } from '../../shared/core/yaml/read.ts'
import { RenderError } from '../../shared/render/generator.ts'
import { template } from '../../shared/render/helm/helm.ts'
import { type ChartCase, chartCases, filesIn } from '../../tests/corpus/chart-cases.ts'
import { officialCharts } from '../../tests/harness/istio/istio-charts.ts'
import { renderContext } from '../../tests/make/component/render-context.ts'
import { madeCharts, writeChart } from './charts.ts'

/** Of each chart in the corpus the values that give most objects; of the others the chart's own. */
export const renderCases = async (): Promise<ChartCase[]> => {
  const scratch = mkdtempSync(join(tmpdir(), 'espalier-bench-charts-'))
  process.once('exit', () => rmSync(scratch, { recursive: true }))
  const values = join(scratch, 'none.yaml')
  writeFileSync(values, '{}\n')
  const [{ cluster } = fault()] = chartCases()
  const others = [...(await istioCharts()), ...made(scratch)]
  return [...largest(), ...others.map(([name, chart]) => ({ name, chart, values, cluster }))]
}

const fault = (): never => {
  throw new Error('the corpus is empty')
}

type Named = readonly [name: string, folder: string]

const istioCharts = async (): Promise<Named[]> => {
  const official = await officialCharts()
  const own = join(import.meta.dirname, '..', '..', 'manifests', 'istio', 'charts')
  const discovery = join('istio-control', 'istio-discovery')
  return [
    ['istio base', join(official, 'base')],
    ['istiod', join(official, discovery)],
    ['istio base of Espalier', join(own, 'base')],
    ['istiod of Espalier', join(own, discovery)],
  ]
}

const made = (scratch: string): Named[] =>
  Object.entries(madeCharts).map(([name, texts]) => [name, writeChart(scratch, name, texts())])

/** None of a chart where all values are refused, as some in the corpus are. */
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
