// Renders files without a cluster: lookups find no objects. The engine reads the objects of lookups (shared/runtime/component/rendering).
import { createHash } from 'node:crypto'
import type { JsonMap } from '../core/json/json.ts'
import type { KubeObject } from '../core/objects/object.ts'
import { type Files, lookupKey, type Render, type RenderContext, RenderError } from './generator.ts'
import { helm } from './helm/helm.ts'
import { kustomize } from './kustomize/kustomize.ts'

export type Release = {
  /** `release` when absent. */
  readonly name?: string
  /** `default` when absent. */
  readonly namespace?: string
  /** Cluster version that templates see; `v1.35.0` when absent. */
  readonly kubeVersion?: string
  /** Time that templates see. When absent, the first second of 2026, so that two renderings are equal. */
  readonly now?: Date
}

/**
 * The objects of a Helm chart. `renderChart(new Map([['Chart.yaml', bytes], …]), { replicas: 3 })`. Throws RenderError.
 *
 *   const objects = renderChart(files, { replicas: 3 }, { name: 'shop', namespace: 'web' })
 */
export const renderChart = (files: Files, values: JsonMap = {}, release: Release = {}): readonly KubeObject[] =>
  renderedAlone(helm(files), values, release)

/**
 * The objects of the kustomization in folder `path` of the files ('' for the root). Throws RenderError.
 *
 *   const objects = renderKustomization(files, 'overlays/production')
 */
export const renderKustomization = (files: Files, path = '', release: Release = {}): readonly KubeObject[] =>
  renderedAlone(kustomize(files, { path }), {}, release)

/** Limit of rounds. More than one can be necessary, because the result of one lookup can lead to another lookup. */
const roundsMost = 20

/** Throws RenderError, for example if templates request new objects in the last allowed round. */
export const renderedAlone = (render: Render, values: JsonMap, release: Release): readonly KubeObject[] => {
  const found = new Map<string, KubeObject | readonly KubeObject[] | undefined>()
  for (let round = 0; round < roundsMost; round++) {
    const rendering = render({ ...contextOf(release), found }, values)
    if ('objects' in rendering) return rendering.objects
    for (const lookup of rendering.needs) found.set(lookupKey(lookup), lookup.name === '' ? [] : undefined)
  }
  throw new RenderError(`the templates still look up new objects after ${roundsMost} rounds`)
}

const contextOf = ({
  name = 'release',
  namespace = 'default',
  kubeVersion = 'v1.35.0',
  now = new Date('2026-01-01T00:00:00Z'),
}: Release): Omit<RenderContext, 'found'> => ({
  namespace,
  name,
  reconcilerName: 'component.core.espalier.dev',
  component: { apiVersion: 'core.espalier.dev/v1alpha1', kind: 'Component', metadata: { name, namespace } },
  componentDigest: '',
  revision: 1,
  now,
  cluster: { version: kubeVersion, apiVersions: ['v1', 'apps/v1', 'batch/v1'] },
  draw: ({ template, call }, bytes) =>
    createHash('shake256', { outputLength: bytes })
      .update(JSON.stringify([template, call]))
      .digest(),
})
