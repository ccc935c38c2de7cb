// A transformer changes the objects of a kustomization in place and may drop objects.

import type { JsonMap } from '../../../core/json/json.ts'
import { RenderError } from '../../generator.ts'
import { entrySetter, type FieldSpec, textSetter, type Visit, visitFields } from '../fields/field-spec.ts'
import type { Replica } from '../files/arguments.ts'
import { isSelected } from '../objects/identity.ts'
import { type Resource, settleTwins, tie } from '../objects/resource.ts'
import { everKnownAs } from '../objects/resources.ts'

export type Transform = (resources: readonly Resource[]) => readonly Resource[]

/** A transformer that changes each object separately and drops no objects. */
export const forEach =
  (change: (resource: Resource) => void): Transform =>
  resources => {
    for (const resource of resources) change(resource)
    return resources
  }

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

export const replicating =
  ({ name = '', count = 0 }: Replica, specs: readonly FieldSpec[]): Transform =>
  resources => {
    const found = specs.map(spec => ({
      spec,
      resources: everKnownAs(resources, identity => identity.name === name && isSelected(identity, spec)),
    }))
    if (found.every(({ resources }) => resources.length === 0))
      throw new RenderError(`replicas: no resource of a kind with replicas is named ${name}`)
    for (const { spec, resources } of found)
      for (const { fields } of resources) visitFields(fields, spec, counting(count))
    return resources
  }

/** A quoted count stays quoted. */
const counting = (count: number): Visit => ({
  ...textSetter((_text, found) => (typeof found === 'string' ? String(count) : count)),
  missing: () => count,
})
