// What is to be rendered, written down: nothing in it is code, so that whoever carries it out may be another process, one that
// may be killed. A definition's own `Render` functions are the other way, and run where they are.
import { isMap, type JsonMap } from '../core/json/json.ts'
import type { KubeObject } from '../core/objects/object.ts'
import { configMapFiles, type PackedAs, unpackedAs } from './archive/config-map.ts'
import { type At, type Files, type Render, RenderError } from './generator.ts'
import { helm } from './helm/helm.ts'
import { kustomize } from './kustomize/kustomize.ts'
import type { Kustomizing } from './kustomizing.ts'
import { type LayerType, layerObjects } from './layer.ts'
import { kustomized, parametersFrom } from './transformers.ts'
import { type ValuesText, valuesOver } from './values.ts'

export type Order = {
  readonly recipe: Recipe
  /** The files for the recipe, if it needs files. */
  readonly artifact?: Artifact
  /** Lie under the parameters. */
  readonly valuesFrom?: readonly ValuesText[]
}

export type Recipe =
  | { readonly is: 'chart' }
  /** `path`: of the folder in the files; '' for their root. */
  | { readonly is: 'kustomization'; readonly path: string }
  /** A template of YAML that the parameters become; they are the one object's `parameters`. */
  | { readonly is: 'parameters'; readonly text: string }
  /** The objects that stand in the parameter `objects`. */
  | ({ readonly is: 'kustomized' } & Kustomizing)
  /** The objects of a module's layer, which is the only file. */
  | { readonly is: 'layer'; readonly type: LayerType }

export type Artifact = {
  /** Equal for equal files, and for no others. */
  readonly key: string
  /** For messages: `ConfigMap shop-chart`. */
  readonly called: string
  readonly packed: Packed
}

/** Files as somebody found them. */
export type Packed =
  | { readonly archive: Uint8Array; readonly as: PackedAs }
  | { readonly configMap: KubeObject; readonly as: PackedAs }
  | { readonly files: Files }

/** Throws RenderError where the artifact cannot be unpacked, or is not what the recipe wants. */
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

/** The values for an order's templates. Throws a RenderError if a text is no map. */
export const parametersOf = ({ valuesFrom = [] }: Pick<Order, 'valuesFrom'>, parameters: JsonMap, at?: At): JsonMap =>
  valuesOver(valuesFrom, parameters, at)
