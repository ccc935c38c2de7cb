// Everything that can be wrong with a custom object: what its schema and the rules in it say, embedded resources, and the
// replicas a scale subresource will read.
import type { KubeObject } from '../../core/objects/object.ts'
import { invalidValue, required } from '../faults.ts'
import type { CustomTraits } from '../kinds/kind.ts'
import type { Schema } from '../kinds/schema.ts'
import type { FieldFault } from '../status.ts'
import { at, isMap, type JsonMap, own } from '../value.ts'
import { ruleFaults, withRuleFaults } from './rules.ts'
import { faultsBelow, schemaFaults } from './validate.ts'

/** The check of one version's objects; of a write of the status only the rules see the rest. */
export const customFaults =
  (schema: Schema, scale: CustomTraits['scale']): CustomTraits['faults'] =>
  (object, subresource, before) => {
    const value = nameOnly(object)
    const old = before && { ...nameOnly(before), metadata: value.metadata }
    const faults =
      subresource === 'status'
        ? statusFaults(object, schema, before)
        : mainFaults(object, value, old, { schema, scale })
    return withRuleFaults(faults, schema, () => ruleFaults(value, schema, old))
  }

const statusFaults = ({ status }: KubeObject, schema: Schema, before?: KubeObject): FieldFault[] => {
  const statusSchema = schema.properties?.status
  return statusSchema && status !== undefined ? faultsBelow('status', status, statusSchema, before?.status) : []
}

const mainFaults = (
  object: KubeObject,
  value: JsonMap,
  old: JsonMap | undefined,
  { schema, scale }: { schema: Schema; scale: CustomTraits['scale'] },
): FieldFault[] => [
  ...schemaFaults(value, schema, '', old),
  ...embeddedFaults(value, schema, ''),
  ...(scale ? replicaFaults(object, scale.specReplicasPath) : []),
]

/** Of metadata a schema can only speak about the name. */
const nameOnly = ({ metadata: { name, generateName }, ...body }: KubeObject): JsonMap => ({
  ...body,
  metadata: { ...(name && { name }), ...(generateName && { generateName }) },
})

/** Embedded resources say what they are. */
const embeddedFaults = (value: unknown, schema: Schema | undefined, path: string): FieldFault[] => {
  if (!schema) return []
  if (Array.isArray(value))
    return value.flatMap((item, index) => embeddedFaults(item, schema.items, `${path}[${index}]`))
  if (!isMap(value)) return []
  const missing = schema['x-kubernetes-embedded-resource'] ? ['apiVersion', 'kind'].filter(field => !value[field]) : []
  const rest = isMap(schema.additionalProperties) ? (schema.additionalProperties as Schema) : undefined
  const below = Object.entries(value).flatMap(([key, item]) =>
    embeddedFaults(item, (own(schema.properties, key) as Schema | undefined) ?? rest, path ? `${path}.${key}` : key),
  )
  return [...missing.map(field => required(`${path}.${field}`)), ...below]
}

const goType = (value: unknown): string =>
  typeof value === 'number'
    ? 'float64'
    : typeof value === 'boolean'
      ? 'bool'
      : isMap(value)
        ? 'map[string]interface {}'
        : 'string'

const replicaFaults = (object: KubeObject, path: string): FieldFault[] => {
  const parts = path.split('.').filter(part => part !== '')
  const parents = parts.slice(0, -1)
  const wrongParent = parents
    .map((_, index) => at(object, ...parts.slice(0, index + 1)))
    .find(value => value !== undefined && !isMap(value))
  const fault = (value: unknown, wanted: string) =>
    invalidValue(path, 0, `${path} accessor error: ${value} is of the type ${goType(value)}, expected ${wanted}`)
  if (wrongParent !== undefined) return [fault(wrongParent, 'map[string]interface{}')]
  const replicas = at(object, ...parts)
  if (replicas === undefined || replicas === null) return []
  if (!Number.isInteger(replicas)) return [fault(replicas, 'int64')]
  return Number(replicas) < 0 ? [invalidValue(path, replicas, 'should be a non-negative integer')] : []
}
