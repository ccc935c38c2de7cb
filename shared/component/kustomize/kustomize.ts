// `kustomize(files)`: a kustomization rendered in this process into the objects that `kubectl kustomize` would print, its
// files being templates that know the parameters.
import { type Files, type Render, RenderError } from '../generator.ts'
import { valuesOf } from '../helm/values/merge.ts'
import { Environment } from '../template/template.ts'
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
    const output = attempted(() => rendered(source, valuesOf(parameters), environment))
    // What failed may have failed for want of an answer.
    if (environment.needs.size > 0) return { needs: [...environment.needs.values()] }
    if ('fault' in output) throw output.fault
    return { objects: built(output.result, path) }
  }
}

const attempted = <Result>(run: () => Result): { result: Result } | { fault: RenderError } => {
  try {
    return { result: run() }
  } catch (fault) {
    if (fault instanceof RenderError) return { fault }
    throw fault
  }
}
