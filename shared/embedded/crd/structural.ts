// In a structural schema every field has a type, and allOf, anyOf, oneOf and not contain only checks.
import { forbiddenField, invalidValue, required } from '../faults.ts'
import type { Schema } from '../kinds/schema.ts'
import type { FieldFault } from '../status.ts'
import { isMap } from '../value.ts'

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string']

export const structuralFaults = (schema: Schema, path: string): FieldFault[] => {
  const rootFaults: FieldFault[] = []
  if (!schema.type) rootFaults.push(required(`${path}.type`, 'must not be empty at the root'))
  else if (schema.type !== 'object')
    rootFaults.push(invalidValue(`${path}.type`, schema.type, 'must be object at the root'))
  return [...innerFaults(schema, path, rootFaults.length > 0), ...rootFaults]
}

const innerFaults = (schema: Schema, path: string, isRootFaulty = false): FieldFault[] => [
  ...(isRootFaulty ? [] : knownType(schema, path)),
  ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) =>
    nodeFaults(inner, `${path}.properties[${name}]`, 'must not be empty for specified object fields'),
  ),
  ...(isMap(schema.additionalProperties)
    ? nodeFaults(
        schema.additionalProperties as Schema,
        `${path}.additionalProperties`,
        'must not be empty for specified object fields',
      )
    : []),
  ...(schema.items ? nodeFaults(schema.items, `${path}.items`, 'must not be empty for specified array items') : []),
  ...(schema.type === 'array' && !schema.items ? [required(`${path}.items`, 'must be specified')] : []),
  ...bothKinds(schema, path),
  ...uniqueness(schema, path),
  ...listTypeFaults(schema, path),
]

const knownType = (schema: Schema, path: string): FieldFault[] =>
  schema.type && !types.includes(schema.type)
    ? [
        {
          reason: 'FieldValueNotSupported',
          field: `${path}.type`,
          detail: `Unsupported value: "${schema.type}": supported values: ${types.map(type => `"${type}"`).join(', ')}`,
        },
      ]
    : []

const isFree = (schema: Schema): boolean =>
  schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true

const nodeFaults = (schema: Schema, path: string, why: string): FieldFault[] => [
  ...(schema.type || isFree(schema) ? [] : [required(`${path}.type`, why)]),
  ...innerFaults(schema, path),
]

const bothKinds = (schema: Schema, path: string): FieldFault[] =>
  schema.properties && schema.additionalProperties
    ? [forbiddenField(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive')]
    : []

const uniqueness = ({ uniqueItems }: Schema, path: string): FieldFault[] =>
  uniqueItems
    ? [
        forbiddenField(
          `${path}.uniqueItems`,
          'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
        ),
      ]
    : []

const listTypeFaults = (schema: Schema, path: string): FieldFault[] => {
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  if (schema['x-kubernetes-list-type'] !== 'map') return []
  if (keys.length === 0)
    return [required(`${path}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map')]
  return keys
    .filter(key => !schema.items?.properties?.[key])
    .map(key => invalidValue(`${path}.x-kubernetes-list-map-keys`, key, 'entries must all be names of item properties'))
}
