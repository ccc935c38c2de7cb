// What renders the dependents of a Component: the chart or kustomization that its source names.
import type { ComponentSource } from '../../../shared/api/component.ts'
import { plainPath } from '../../../shared/component/archive/paths.ts'
import type { Files, Render } from '../../../shared/component/generator.ts'
import { helm } from '../../../shared/component/helm/helm.ts'
import { kustomize } from '../../../shared/component/kustomize/kustomize.ts'

/** Throws RenderError where the files are neither. */
export const render = ({ helm: chart, kustomize: kustomization }: ComponentSource, files: Files): Render =>
  chart ? helm(files) : kustomize(files, { path: plainPath(kustomization?.path ?? '') })
