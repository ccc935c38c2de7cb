// `kustomize(files)` renders what `kubectl kustomize` would print. The files are templates over the parameters.
import { blaming, ofArtifact } from '../blame.ts'
import type { At, Files, Render } from '../generator.ts'
import { valuesOf } from '../helm/values/merge.ts'
import { answered, Environment } from '../template/template.ts'
import { built } from './build.ts'
import type { TemplateOptions } from './files/component-config.ts'
import { readSource, rendered, type TemplatedSource } from './files/source.ts'

export type KustomizeOptions = TemplateOptions & {
  readonly path?: string
  readonly at?: At
}

/**
 * The renderer of the kustomization in these files. Throws RenderError.
 *
 *   const generator = rendering(kustomize(files, { path: 'overlays/production' }))
 */
export const kustomize = (files: Files, { path = '', at, ...options }: KustomizeOptions = {}): Render =>
  renderOf(ofArtifact(() => readSource(files, { path, at }, options)))

const renderOf =
  (source: TemplatedSource): Render =>
  (context, parameters) =>
    blaming({ kind: 'unrenderable', rendered: 'kustomization' }, () => {
      const environment = new Environment(context)
      const output = answered(environment, () => rendered(source, valuesOf(parameters), environment))
      return 'needs' in output ? output : { objects: built(output.result, source.path, context.at) }
    })
