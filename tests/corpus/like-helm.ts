// Charts of Istio that are rendered as the real Helm renders them, whatever their values.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { isMap, type JsonMap } from '../../shared/core/json/json.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { template } from '../../shared/render/helm/helm.ts'
import { testFolder } from '../harness/test-folder.ts'
import { renderContext } from '../make/component/render-context.ts'
import { type ChartCase, filesIn } from './chart-cases.ts'
import { helmRenderings, release } from './helm-oracle.ts'

export const istioDirectories = [
  ...['base', 'istio-control/istio-discovery', 'istio-cni'],
  ...['gateways/istio-ingress', 'gateways/istio-egress', 'ztunnel', 'default'],
]

/** A chart of the set with values, as a test calls it. */
export type Rendering = { readonly about: string; readonly directory: string; readonly values: JsonMap }

const cluster = { version: 'v1.36.3', apiVersions: [] }

/** What we make of a chart that looks nothing up. */
export const renderedHere = (chart: string, values: JsonMap, namespace: string): readonly KubeObject[] => {
  const rendering = template(filesIn(chart))(renderContext({ cluster, namespace }), values)
  if ('needs' in rendering) throw new Error(`${chart} looks something up`)
  return rendering.objects
}

/** `root`: the folder of the set. */
export const areLikeHelm = async (t: Test, root: string, renderings: readonly Rendering[]): Promise<void> => {
  const expected = await helmRenderings(casesIn(t, root, renderings))
  for (const [index, { about, directory, values }] of renderings.entries()) {
    const theirs = expected[index]
    const name = `${directory} with ${about}`
    if (theirs === undefined || 'error' in theirs) throw new Error(`${name}: helm says ${theirs?.error}`)
    const ours = renderedHere(join(root, directory), values, release.namespace)
    t.ok(ours.length > 1, `${name}: there are objects`)
    t.strictSame(comparable(ours), comparable(theirs.objects), name)
  }
}

const casesIn = (t: Test, root: string, renderings: readonly Rendering[]): readonly ChartCase[] => {
  const folder = testFolder(t)
  return renderings.map(({ about, directory, values }, index) => {
    const file = join(folder, `${index}.json`)
    writeFileSync(file, asciiJson(values))
    return { name: `${directory} with ${about}`, chart: join(root, directory), values: file, cluster }
  })
}

/** Helm reads it as YAML, to which some signs end a line. */
const asciiJson = (values: JsonMap): string =>
  JSON.stringify(values).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const comparable = (objects: readonly unknown[]): string[] =>
  objects.map(object => JSON.stringify(sorted(object))).sort()

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isMap(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map(key => [key, sorted(value[key])]),
  )
}
