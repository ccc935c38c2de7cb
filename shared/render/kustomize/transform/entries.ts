// Labels and annotations: the same entries in each map that the specs lead to.
import type { JsonMap } from '../../../core/json/json.ts'
import { entrySetter, type FieldSpec, visitFields } from '../fields/field-spec.ts'
import type { Resource } from '../objects/resource.ts'
import { settleTwins, tie } from '../objects/twins.ts'
import { forEach, type Transform } from './transformer.ts'

export const addingEntries = (entries: Readonly<Record<string, string>>, specs: readonly FieldSpec[]): Transform =>
  forEach(resource => {
    for (const key of Object.keys(entries).sort()) addEntry(resource, key, entries[key], specs)
  })

const addEntry = (resource: Resource, key: string, value: unknown, specs: readonly FieldSpec[]): void => {
  const made: { map: JsonMap; key: string }[] = []
  const visit = entrySetter(key, value, map => made.push({ map, key }))
  for (const spec of specs) visitFields(resource.fields, spec, visit)
  settleTwins(resource)
  tie(resource, made)
}
