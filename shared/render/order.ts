// Describes a rendering as plain data, so that another process can render. That process can be killed. A definition's own `Render`
// functions run in this process.
import { isMap, type JsonMap } from '../core/json/json.ts'
import type { KubeObject } from '../core/objects/object.ts'
import { type LayerType, layerObjects } from './documents.ts'
import { type At, type Files, type Render, RenderError } from './generator.ts'
import { helm } from './helm/helm.ts'
import { kustomize } from './kustomize/kustomize.ts'
import { type Kustomizing, kustomized, parametersFrom } from './transformers.ts'
import { configMapFiles, type PackedAs, unpackedAs } from './unpack.ts'
import { type ValuesText, valuesOver } from './values.ts'

export type Order = {
  readonly recipe: Recipe
  /** Present if the recipe needs files. */
  readonly artifact?: Artifact
  readonly valuesFrom?: readonly ValuesText[]
}

export type Recipe =
  | { readonly is: 'chart' }
  /** `path`: the folder of the kustomization; '' for the root. */
  | { readonly is: 'kustomization'; readonly path: string }
  /** `text`: a template that computes parameters as YAML. */
  | { readonly is: 'parameters'; readonly text: string }
  | ({ readonly is: 'kustomized' } & Kustomizing)
  | { readonly is: 'layer'; readonly type: LayerType }

export type Artifact = {
  /** Two artifacts have the same key only if their files are equal. */
  readonly key: string
  /** The name for messages, such as `ConfigMap shop-chart`. */
  readonly called: string
  readonly packed: Packed
}

export type Packed =
  | { readonly archive: Uint8Array; readonly as: PackedAs }
  | { readonly configMap: KubeObject; readonly as: PackedAs }
  | { readonly files: Files }

/** Throws RenderError if the artifact cannot be unpacked or does not fit the recipe. */
export const renderOf = (recipe: Recipe, artifact?: Omit<Artifact, 'key'>, at?: At): Render =>
  (recipes[recipe.is] as Carried)(recipe, artifact ? filesIn(artifact, at) : new Map(), at)

type Carried<Given extends Recipe = Recipe> = (recipe: Given, files: Files, at?: At) => Render

const recipes: { readonly [Is in Recipe['is']]: Carried<Extract<Recipe, { is: Is }>> } = {
  chart: (_, files, at) => helm(files, at),
  kustomization: ({ path }, files, at) => kustomize(files, { path, at }),
  parameters: ({ text }) => parametersFrom(text),
  kustomized: kustomizing => {
    const transform = kustomized(kustomizing)
    return (_, { objects }) => ({ objects: transform(objectsIn(objects)) })
  },
  layer: ({ type }, files, at) => {
    const [layer = new Uint8Array()] = files.values()
    const objects = layerObjects(layer, type, at)
    return () => ({ objects })
  },
}

const objectsIn = (list: unknown): readonly KubeObject[] => {
  if (Array.isArray(list) && list.every(isMap)) return list as unknown as KubeObject[]
  throw new RenderError('there are no objects to transform')
}

const filesIn = ({ called, packed }: Omit<Artifact, 'key'>, at?: At): Files => {
  if ('files' in packed) return packed.files
  at?.(called)
  return 'archive' in packed ? unpackedAs(packed.as, packed.archive) : configMapFiles(packed.configMap, packed.as)
}

export const parametersOf = ({ valuesFrom = [] }: Pick<Order, 'valuesFrom'>, parameters: JsonMap, at?: At): JsonMap =>
  valuesOver(valuesFrom, parameters, at)
