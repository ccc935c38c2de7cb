// The charts that stand in where no others are configured, rendered with the values of a desired chart.
import { join } from 'node:path'
import type { DesiredChart } from '../../../functions/istio/desired/desired-chart.ts'
import { patchedObjects } from '../../../functions/istio/desired/object-patches.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { Render } from '../../../shared/render/generator.ts'
import { template } from '../../../shared/render/helm/helm.ts'
import { filesIn } from '../../corpus/chart-cases.ts'
import { renderContext } from '../component/render-context.ts'

const root = join(import.meta.dirname, '../../../manifests/istio/charts')
const renders = new Map<string, Render>()

const renderOf = (directory: string): Render => {
  const render = renders.get(directory) ?? template(filesIn(join(root, directory)))
  renders.set(directory, render)
  return render
}

const renderings = new Map<string, readonly KubeObject[]>()

/** What the chart makes, before anything is laid over it. Each desired chart is rendered once. */
export const renderedChart = (desired: DesiredChart): readonly KubeObject[] => {
  const key = JSON.stringify([desired.directory, desired.namespace, desired.values])
  const objects = renderings.get(key) ?? rendering(desired)
  renderings.set(key, objects)
  return objects
}

const rendering = ({ directory, namespace, release, values }: DesiredChart): readonly KubeObject[] => {
  const cluster = { version: 'v1.36.3', apiVersions: [] }
  const result = renderOf(directory)(renderContext({ cluster, namespace, name: release }), values)
  if ('needs' in result) throw new Error(`${directory} looks something up`)
  return result.objects
}

/** The same with its patches and overlays. */
export const patchedChart = (desired: DesiredChart): ReturnType<typeof patchedObjects> =>
  patchedObjects(renderedChart(desired), desired)
