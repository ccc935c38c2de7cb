// Merges the values of a chart or kustomization: first texts of ConfigMaps and Secrets, then the component's own values. Messages do not quote
// the texts, because they can come from Secrets.
import { rethrown } from '../core/decisions/reading.ts'
import { own } from '../core/json/fields.ts'
import { isMap, type JsonMap } from '../core/json/json.ts'
import { readYaml, YamlError } from '../core/yaml/read.ts'
import { type At, RenderError } from './generator.ts'

/** `place` is for messages, for example `spec.valuesFrom[0] (Secret shop, key values.yaml)`. */
export type ValuesText = { readonly text: string; readonly place: string }

/** Later texts win over earlier texts; `values` wins over all texts. Throws RenderError with the place of the faulty text. */
export const valuesOver = (texts: readonly ValuesText[], values: JsonMap, at?: At): JsonMap =>
  texts
    .map(text => valuesIn(text, at))
    .concat(values)
    .reduce(valuesMerged, {})

/** Merges maps and replaces other values. A null stays, because the null removes a default of the chart. */
export const valuesMerged = (under: JsonMap, over: JsonMap): JsonMap =>
  Object.fromEntries([
    ...Object.entries(under),
    ...Object.entries(over).map(([key, value]) => [key, mergedValue(own(under, key), value)] as const),
  ])

const mergedValue = (under: unknown, over: unknown): unknown =>
  isMap(under) && isMap(over) ? valuesMerged(under, over) : over

const valuesIn = ({ text, place }: ValuesText, at?: At): JsonMap => {
  at?.(place)
  const document = rethrown(
    YamlError,
    () => readYaml(text),
    ({ line }) =>
      new RenderError(`${place} is not valid YAML: line ${line}`, {
        blame: { kind: 'yaml', file: place, line },
        quotesNoValues: true,
      }),
  )
  if (document === null) return {}
  if (isMap(document)) return document
  throw new RenderError(`${place} does not contain a map`, {
    blame: { kind: 'values', file: place },
    quotesNoValues: true,
  })
}
