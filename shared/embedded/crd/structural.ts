// In a structural schema every field has a type, and allOf, anyOf, oneOf and not contain only checks.
import { faultsIn, forbiddenField, invalidValue, required, unlisted } from '../faults.ts'
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

const whyField = 'must not be empty for specified object fields'
const whyUnique = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'

const innerFaults = (schema: Schema, path: string, isRootFaulty = false): FieldFault[] => {
  const { type, properties, additionalProperties: rest, items, uniqueItems } = schema
  return faultsIn(
    !isRootFaulty && type !== undefined && type !== '' && unlisted(`${path}.type`, type, types),
    Object.entries(properties ?? {}).flatMap(([name, inner]) =>
      nodeFaults(inner, `${path}.properties[${name}]`, whyField),
    ),
    isMap(rest) && nodeFaults(rest as Schema, `${path}.additionalProperties`, whyField),
    items && nodeFaults(items, `${path}.items`, 'must not be empty for specified array items'),
    type === 'array' && !items && required(`${path}.items`, 'must be specified'),
    properties !== undefined &&
      Boolean(rest) &&
      forbiddenField(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'),
    uniqueItems === true && forbiddenField(`${path}.uniqueItems`, whyUnique),
    listTypeFaults(schema, path),
  )
}

const isFree = (schema: Schema): boolean =>
  schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true

const nodeFaults = (schema: Schema, path: string, why: string): FieldFault[] =>
  faultsIn(!schema.type && !isFree(schema) && required(`${path}.type`, why), innerFaults(schema, path))

const listTypeFaults = (schema: Schema, path: string): FieldFault[] => {
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  if (schema['x-kubernetes-list-type'] !== 'map') return []
  if (keys.length === 0)
    return [required(`${path}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map')]
  return keys
    .filter(key => !schema.items?.properties?.[key])
    .map(key => invalidValue(`${path}.x-kubernetes-list-map-keys`, key, 'entries must all be names of item properties'))
}
