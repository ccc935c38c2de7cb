// ConfigMap: keys, and the immutable flag.
import type { KubeObject } from '../../core/objects/object.ts'
import { forbiddenField, invalidValue } from '../faults.ts'
import type { FieldFault } from '../status.ts'
import { fieldsAt, sameJson } from '../value.ts'

const keyPattern = /^[-._a-zA-Z0-9]+$/
const keyFault =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"

/** Faults of the keys of one map of a ConfigMap or Secret. */
export const keyFaults = (object: KubeObject, field: string): FieldFault[] =>
  Object.keys(fieldsAt(object, field) ?? {}).flatMap(key =>
    keyFaultsOf(key).map(why => invalidValue(`${field}[${key}]`, key, why)),
  )

const keyFaultsOf = (key: string): string[] => {
  if (!keyPattern.test(key)) return [keyFault]
  if (key === '.' || key === '..') return [`must not be '${key}'`]
  return key.startsWith('..') ? ["must not start with '..'"] : []
}

export const configMapFaults = (object: KubeObject): FieldFault[] => {
  const data = fieldsAt(object, 'data') ?? {}
  const twice = Object.keys(fieldsAt(object, 'binaryData') ?? {}).filter(key => Object.hasOwn(data, key))
  return [
    ...keyFaults(object, 'data'),
    ...twice.map(key => invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...keyFaults(object, 'binaryData'),
  ]
}

const frozen = 'field is immutable when `immutable` is set'

export const configMapUpdateFaults = (object: KubeObject, before: KubeObject): FieldFault[] =>
  frozenFaults(object, before, ['data', 'binaryData'])

/** Fields that an update of an immutable ConfigMap or Secret may not change. */
export const frozenFaults = (object: KubeObject, before: KubeObject, fields: readonly string[]): FieldFault[] => {
  if (before.immutable !== true) return []
  const changed = fields.filter(field => !sameJson(object[field], before[field]))
  return [
    ...(object.immutable === true ? [] : [forbiddenField('immutable', frozen)]),
    ...changed.map(field => forbiddenField(field, frozen)),
  ]
}
