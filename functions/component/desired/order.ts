// What to render for a Component: its list of objects, or its chart or kustomization with the values of `valuesFrom`.
import type { ComponentSpec, ValuesReference } from '../../../shared/api/component.ts'
import { isMap } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { Artifact, Order, Recipe } from '../../../shared/render/order.ts'
import { plainPath } from '../../../shared/render/unpack.ts'
import type { ValuesText } from '../../../shared/render/values.ts'

/** `textOf`: the text of a reference, by its index in valuesFrom; undefined if the reference is optional and missing. */
export const order = (
  { source, valuesFrom = [] }: Pick<ComponentSpec, 'source' | 'valuesFrom'>,
  artifact: Artifact,
  textOf: (index: number) => string | undefined,
): Order => ({
  recipe: recipeOf(source),
  artifact,
  valuesFrom: valuesFrom.map(
    (reference, index): ValuesText => ({ text: textOf(index) ?? '', place: placeOf(reference, index) }),
  ),
})

const recipeOf = ({ helm, kustomize }: ComponentSpec['source']): Recipe =>
  helm ? { is: 'chart' } : { is: 'kustomization', path: plainPath(kustomize?.path ?? '') }

const placeOf = ({ kind, name, key }: ValuesReference, index: number): string =>
  `spec.valuesFrom[${index}] (${kind} ${name}, key ${key ?? 'values.yaml'})`

/** Throws if `manifests` is no list of objects. An empty list instead would delete all dependents. */
export const manifestsIn = (manifests: unknown): KubeObject[] => {
  if (!Array.isArray(manifests) || !manifests.every(isMap))
    throw new TypeError('spec.source.manifests: expected a list of objects')
  return [...manifests] as unknown as KubeObject[]
}
