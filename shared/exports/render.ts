// `import … from 'espalier/render'`: renders Helm charts and kustomizations to objects, without helm, kubectl or a cluster.
export type { JsonMap } from '../core/json/json.ts'
export {
  type Files,
  type Lookup,
  lookupKey,
  type Render,
  type RenderContext,
  RenderError,
  type Rendering,
} from '../render/generator.ts'
export { helm } from '../render/helm/helm.ts'
export { kustomize } from '../render/kustomize/kustomize.ts'
export { type Release, renderChart, renderKustomization } from '../render/rendered.ts'
export { unpackTarGz } from '../render/unpack.ts'
