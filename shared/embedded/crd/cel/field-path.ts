// The `fieldPath` of a rule: `.a.b`, `['a.b']`, below the schema that the rule stands in.
import type { Schema } from '../../kinds/schema.ts'
import { isMap, own } from '../../value.ts'

const step = /\.([A-Za-z_][A-Za-z0-9_]*)|\['((?:[^'\\]|\\.)*)'\]/y

/** Whether a path leads to something that the schema declares; into lists none does. */
export const isFieldPath = (path: string, schema: Schema): boolean => {
  let current: Schema | undefined = schema
  step.lastIndex = 0
  for (let end = 0; end < path.length; end = step.lastIndex) {
    const found = step.exec(path)
    if (!found || !current) return false
    current = below(current, found[1] ?? (found[2] ?? '').replaceAll(/\\(.)/g, '$1'))
  }
  return current !== undefined
}

const below = ({ properties, additionalProperties }: Schema, name: string): Schema | undefined => {
  const property = own(properties, name) as Schema | undefined
  return property ?? (isMap(additionalProperties) ? (additionalProperties as Schema) : undefined)
}
