// The values of a chart or kustomization: what the references led to, one over the other, and over all what the Component
// itself says. The texts may come from Secrets: no fault quotes them.
import type { ComponentSpec, ValuesReference } from '../../../shared/api/component.ts'
import { RenderError } from '../../../shared/component/generator.ts'
import { readYaml, YamlError } from '../../../shared/component/yaml/read.ts'
import { own } from '../../../shared/core/fields.ts'
import { isMap, type JsonMap } from '../../../shared/core/json.ts'

/** `textOf` gives what the nth reference led to; undefined where an optional one leads nowhere. */
export const values = (
  { values = {}, valuesFrom = [] }: Pick<ComponentSpec, 'values' | 'valuesFrom'>,
  textOf: (index: number) => string | undefined,
): JsonMap =>
  valuesFrom
    .map((reference, index) => valuesIn(textOf(index) ?? '', placeOf(reference, index)))
    .concat(values)
    .reduce(merged, {})

/** A null stays: it takes a default of the chart away. */
const merged = (under: JsonMap, over: JsonMap): JsonMap =>
  Object.fromEntries([
    ...Object.entries(under),
    ...Object.entries(over).map(([key, value]) => [key, mergedValue(own(under, key), value)] as const),
  ])

const mergedValue = (under: unknown, over: unknown): unknown =>
  isMap(under) && isMap(over) ? merged(under, over) : over

const placeOf = ({ kind, name, key }: ValuesReference, index: number): string =>
  `spec.valuesFrom[${index}] (${kind} ${name}, key ${key ?? 'values.yaml'})`

const valuesIn = (text: string, place: string): JsonMap => {
  const document = documentIn(text, place)
  if (document === null) return {}
  if (isMap(document)) return document
  throw new RenderError(`${place} holds no map`)
}

const documentIn = (text: string, place: string): unknown => {
  try {
    return readYaml(text)
  } catch (error) {
    if (error instanceof YamlError) throw new RenderError(`${place} is no YAML: line ${error.line}`)
    throw error
  }
}
