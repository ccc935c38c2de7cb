// Replica counts of workloads, found by any name they ever had.
import { RenderError } from '../../generator.ts'
import { type FieldSpec, textSetter, type Visit, visitFields } from '../fields/field-spec.ts'
import type { Replica } from '../files/arguments.ts'
import { isSelected } from '../objects/identity.ts'
import { everKnownAs } from '../objects/resources.ts'
import type { Transform } from './transformer.ts'

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

/** A quoted number stays quoted. */
const counting = (count: number): Visit => ({
  ...textSetter((_text, found) => (typeof found === 'string' ? String(count) : count)),
  missing: () => count,
})
