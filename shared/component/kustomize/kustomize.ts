// `kustomize(files)`: a kustomization rendered in this process into the objects that `kubectl kustomize` would print, its
// files being templates that know the parameters.
import type { Files, Render } from '../generator.ts'
import { valuesOf } from '../helm/values/merge.ts'
import { answered, Environment } from '../template/template.ts'
import { built } from './build.ts'
import type { TemplateOptions } from './component-config.ts'
import { readSource, rendered } from './source.ts'

export type KustomizeOptions = TemplateOptions & {
  /** Where in the files the kustomization is; '' for their root. */
  readonly path?: string
  /** What every file passes before anything is read from it. Pure. */
  readonly decrypt?: (content: Uint8Array, path: string) => Uint8Array
}

/** The parameters are what templates see at `.`. Throws RenderError where the files cannot be rendered. */
export const kustomize = (files: Files, { path = '', decrypt, ...options }: KustomizeOptions = {}): Render => {
  const artifact = decrypt ? new Map([...files].map(([file, content]) => [file, decrypt(content, file)])) : files
  const source = readSource(artifact, path, options)
  return (context, parameters) => {
    const environment = new Environment(context)
    const output = answered(environment, () => rendered(source, valuesOf(parameters), environment))
    return 'needs' in output ? output : { objects: built(output.result, path) }
  }
}
