// Every chart of the corpus with each of its values: the same objects as the real Helm gives, or an error where it errs.

import { readFileSync } from 'node:fs'
import t from 'tap'
import { isMap } from '../../../shared/core/json/json.ts'
import { readYaml } from '../../../shared/core/yaml/read.ts'
import { RenderError } from '../../../shared/render/generator.ts'
import { template } from '../../../shared/render/helm/helm.ts'
import { type ChartCase, chartCases, chartNames, filesIn } from '../../corpus/chart-cases.ts'
import { helmRenderings, type Rendered } from '../../corpus/helm-oracle.ts'
import { renderContext } from '../../make/component/render-context.ts'

const ourRendering = ({ chart, values, cluster }: ChartCase): Rendered => {
  const parameters = readYaml(readFileSync(values, 'utf8')) ?? {}
  if (!isMap(parameters)) throw new Error(`${values} is no map`)
  try {
    const rendering = template(filesIn(chart))(renderContext({ cluster }), parameters)
    return 'objects' in rendering ? rendering : { error: `needs ${JSON.stringify(rendering.needs)}` }
  } catch (error) {
    if (error instanceof RenderError) return { error: error.message }
    throw error
  }
}

/** In an order that says nothing, with sorted keys. */
const comparable = (rendered: Rendered): unknown =>
  'error' in rendered ? 'an error' : rendered.objects.map(object => sorted(object)).toSorted(byText)

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isMap(value)) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]))
}

/** `orchard/templates/a.yaml:3`: where an author must look. What never ends has no line of its own. */
const placeIn = (error: string): string => {
  const [place = '', file = ''] = /([\w./-]+\/templates\/[\w./-]+):\d+/.exec(error) ?? []
  return error.includes('nested reference') ? file : place
}

t.test('CO-75 the charts of the corpus give the objects that helm gives, and err where it errs', async t => {
  t.ok(chartNames().length >= 25, 'there are charts enough')
  const cases = chartCases()
  const expected = await helmRenderings(cases)
  for (const [index, one] of cases.entries()) {
    const [ours, theirs] = [ourRendering(one), expected[index]]
    if (theirs === undefined) throw new Error(`helm was not asked for ${one.name}`)
    const remark = [ours, theirs].flatMap(each => ('error' in each ? each.error : [])).join(' | ')
    t.strictSame(comparable(ours), comparable(theirs), `${one.name} ${remark}`)
    if ('error' in ours && 'error' in theirs) t.ok(ours.error.includes(placeIn(theirs.error)), `${one.name}: the place`)
  }
})
