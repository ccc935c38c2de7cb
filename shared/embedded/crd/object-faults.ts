// All checks of a custom object: its schema and rules, embedded resources, and the replicas that a scale reads.
import type { KubeObject } from '../../core/objects/object.ts'
import { invalidValue, required } from '../faults.ts'
import type { CustomTraits } from '../kinds/kind.ts'
import { memberOf, type Schema } from '../kinds/schema.ts'
import type { FieldFault } from '../status.ts'
import { at, isMap, type JsonMap } from '../value.ts'
import { ruleFaults, withRuleFaults } from './rules.ts'
import { faultsBelow, schemaFaults } from './validate.ts'

/** In a write of the status only the rules see the rest of the object. */
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

/** A schema can check only the name in metadata. */
const nameOnly = ({ metadata: { name, generateName }, ...body }: KubeObject): JsonMap => ({
  ...body,
  metadata: { ...(name && { name }), ...(generateName && { generateName }) },
})

const embeddedFaults = (value: unknown, schema: Schema | undefined, path: string): FieldFault[] => {
  if (!schema) return []
  if (Array.isArray(value))
    return value.flatMap((item, index) => embeddedFaults(item, schema.items, `${path}[${index}]`))
  if (!isMap(value)) return []
  const missing = schema['x-kubernetes-embedded-resource'] ? ['apiVersion', 'kind'].filter(field => !value[field]) : []
  const below = Object.entries(value).flatMap(([key, item]) =>
    embeddedFaults(item, memberOf(schema, key), path ? `${path}.${key}` : key),
  )
  return [...missing.map(field => required(`${path}.${field}`)), ...below]
}

const goType = (value: unknown): string => {
  if (isMap(value)) return 'map[string]interface {}'
  return typeof value === 'number' ? 'float64' : typeof value === 'boolean' ? 'bool' : 'string'
}

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
