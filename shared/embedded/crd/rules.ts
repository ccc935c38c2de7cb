// Runs x-kubernetes-validations on a custom object. Rules that use oldSelf need an old value. All other rules accept values that an update leaves
// unchanged.
import { remembered } from '../../core/memory/remembered.ts'
import { CelError, type Program, programOf } from '../cel/program.ts'
import { celValue, withHead } from '../cel/values.ts'
import { memberOf, propertyOf, type Schema, type ValidationRule } from '../kinds/kind.ts'
import { type FieldFault, forbiddenField, invalidValue, required } from '../status.ts'
import { isMap, own, sameJson } from '../value.ts'

export const ruleFaults = (value: unknown, schema: Schema, before: unknown): FieldFault[] =>
  faultsAt({ path: '', value, old: before, schema, isParentSame: false })

/** If a value has one of these faults, no rules run, because rules rely on the types of values. */
const blocking = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

export const withRuleFaults = (faults: FieldFault[], schema: Schema, rules: () => FieldFault[]): FieldFault[] => {
  if (!hasRules(schema)) return faults
  if (!faults.some(({ reason }) => blocking.has(reason))) return [...faults, ...rules()]
  const why =
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'
  return [...faults, invalidValue('<nil>', null, why)]
}

type Place = {
  readonly path: string
  readonly value: unknown
  readonly old: unknown
  readonly schema: Schema
  /** Whether the nearest comparable ancestor is unchanged. */
  readonly isParentSame: boolean
}

const hasRules = remembered((schema: Schema): boolean => {
  const { properties = {}, allOf = [], items, additionalProperties } = schema
  const inner = [...Object.values(properties), ...allOf, items, additionalProperties]
  return Boolean(schema['x-kubernetes-validations']?.length) || inner.some(part => isMap(part) && hasRules(part))
})

const faultsAt = (place: Place): FieldFault[] => {
  const { value, schema } = place
  if (value === null || value === undefined || !hasRules(schema)) return []
  return [
    ...ownFaults(place),
    ...(schema.allOf ?? []).flatMap(part => faultsAt({ ...place, schema: { ...part, type: schema.type } })),
    ...(Array.isArray(value) ? itemFaults(place, value) : []),
    ...(isMap(value) ? fieldFaults(place, value) : []),
  ]
}

const isLeftAlone = ({ value, old, isParentSame }: Place): boolean =>
  old === undefined ? isParentSame : sameJson(value, old)

const itemFaults = (place: Place, list: unknown[]): FieldFault[] => {
  const { items } = place.schema
  if (!items) return []
  const keys = place.schema['x-kubernetes-list-map-keys']
  const before = Array.isArray(place.old) ? place.old : []
  const isParentSame = isLeftAlone(place)
  const isSame = (left: unknown, right: unknown) =>
    isMap(left) && isMap(right) && keys?.every(key => sameJson(own(left, key), own(right, key)))
  return list.flatMap((value, index) => {
    const old = keys && before.find(other => isSame(value, other))
    return faultsAt({ path: `${place.path}[${index}]`, value, old, schema: items, isParentSame })
  })
}

const fieldFaults = (place: Place, fields: Record<string, unknown>): FieldFault[] => {
  const before = isMap(place.old) ? place.old : undefined
  const isParentSame = isLeftAlone(place)
  return Object.entries(fields).flatMap(([key, value]) => {
    const schema = memberOf(place.schema, key)
    if (!schema) return []
    const path = propertyOf(place.schema, key) ? child(place.path, key) : `${place.path}[${key}]`
    return faultsAt({ path, value, old: own(before, key), schema, isParentSame })
  })
}

const child = (path: string, key: string): string => (path ? `${path}.${key}` : key)

const ownFaults = (place: Place): FieldFault[] => {
  const rules = place.schema['x-kubernetes-validations'] ?? []
  if (rules.length === 0) return []
  const self = celValue(place.value, rootTyped(place))
  const oldSelf = place.old === undefined || place.old === null ? undefined : celValue(place.old, rootTyped(place))
  return rules.flatMap(rule => faultOf(rule, place, { self, oldSelf }))
}

/** Rules of the whole object see apiVersion, kind and metadata. */
const rootTyped = ({ path, schema }: Place): Schema => (path === '' ? withHead(schema) : schema)

type Values = { readonly self: unknown; readonly oldSelf: unknown }

const faultOf = (rule: ValidationRule, place: Place, values: Values): FieldFault[] => {
  const isOptional = rule.optionalOldSelf === true
  const program = programOf(rule.rule, isOptional)
  if (program.usesOldSelf && values.oldSelf === undefined && !isOptional) return []
  try {
    if (program.run(values) === true) return []
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    return [invalidValue(place.path || '<nil>', place.schema.type, `${error.message} evaluating rule: ${nameOf(rule)}`)]
  }
  if (!program.usesOldSelf && isLeftAlone(place)) return []
  return [wordedFault(rule, place, messageOf(rule, values, isOptional))]
}

const nameOf = ({ message, rule }: ValidationRule): string => (message || rule).trim()

const messageOf = (rule: ValidationRule, values: Values, isOptional: boolean): string =>
  expressedMessage(rule, values, isOptional) ??
  (rule.message ? rule.message.trim() : `failed rule: ${rule.rule.trim()}`)

const longestMessage = 5 * 1024

/** The message of the expression; undefined if the message is not usable. */
const expressedMessage = (
  { messageExpression }: ValidationRule,
  values: Values,
  isOptional: boolean,
): string | undefined => {
  if (!messageExpression) return undefined
  const made = outcome(programOf(messageExpression, isOptional), values)
  const shown = typeof made === 'string' ? made.trim() : ''
  return shown === '' || shown.length > longestMessage || /[\r\n]/.test(shown) ? undefined : shown
}

const outcome = (program: Program, values: Values): unknown => {
  try {
    return program.run(values)
  } catch (error) {
    if (error instanceof CelError) return undefined
    throw error
  }
}

const wordedFault = (rule: ValidationRule, { path, value, schema }: Place, message: string): FieldFault => {
  const below = (rule.fieldPath ?? '').replace(/^\./, '')
  const field = [path, below].filter(Boolean).join('.') || '<nil>'
  const isShown = schema.type !== 'object' && schema.type !== 'array'
  if (rule.reason === 'FieldValueForbidden') return forbiddenField(field, message)
  if (rule.reason === 'FieldValueRequired') return required(field, message)
  if (rule.reason === 'FieldValueDuplicate')
    return {
      reason: 'FieldValueDuplicate',
      field,
      detail: `Duplicate value${isShown ? `: ${JSON.stringify(value)}` : ''}`,
    }
  return isShown
    ? invalidValue(field, value, message)
    : { reason: 'FieldValueInvalid', field, detail: `Invalid value: ${message}` }
}
