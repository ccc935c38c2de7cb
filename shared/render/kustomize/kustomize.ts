// `kustomize(files)` renders what `kubectl kustomize` would print. The files are templates over the parameters.
import { blaming, ofArtifact, withoutQuotes } from '../blame.ts'
import type { At, Files, Render } from '../generator.ts'
import { valuesOf } from '../helm/values/merge.ts'
import { answered, Environment } from '../template/template.ts'
import { built } from './build.ts'
import type { TemplateOptions } from './files/component-config.ts'
import { readSource, rendered, type TemplatedSource } from './files/source.ts'

export type KustomizeOptions = TemplateOptions & {
  /** '' for the root of the files. */
  readonly path?: string
  readonly at?: At
  /** Transforms each file before it is read. Pure. */
  readonly decrypt?: (content: Uint8Array, path: string) => Uint8Array
}

export const kustomize = (files: Files, { path = '', at, decrypt, ...options }: KustomizeOptions = {}): Render => {
  if (!decrypt) return renderOf(ofArtifact(() => readSource(files, { path, at }, options)))
  // Messages must not quote decrypted files.
  const artifact = new Map([...files].map(([file, content]) => [file, decrypt(content, file)]))
  const render = renderOf(withoutQuotes(() => readSource(artifact, { path, at }, options)))
  return (context, parameters) => withoutQuotes(() => render(context, parameters))
}

const renderOf =
  (source: TemplatedSource): Render =>
  (context, parameters) =>
    blaming({ kind: 'unrenderable', rendered: 'kustomization' }, () => {
      const environment = new Environment(context)
      const output = answered(environment, () => rendered(source, valuesOf(parameters), environment))
      return 'needs' in output ? output : { objects: built(output.result, source.path, context.at) }
    })
