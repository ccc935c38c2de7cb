// Finds the first part of a value that does not fit a schema. Schemas are interpreted, because compiling them would take longer than the
// rest of a start. Checking a whole Garden takes microseconds.

/** The supported keywords. */
export type Fitting = {
  readonly type?: string
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Fitting>>
  /** If true or absent, other fields are ignored. */
  readonly additionalProperties?: Fitting | boolean
  readonly items?: Fitting
  readonly anyOf?: readonly Fitting[]
  readonly oneOf?: readonly Fitting[]
  readonly enum?: readonly string[]
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly description?: string
}

export type Misfit = {
  readonly keyword: keyof Fitting
  readonly path: readonly string[]
  readonly value: unknown
  readonly schema: Fitting
  /** The missing field for `required`, the unknown field for `additionalProperties`. */
  readonly field?: string
}

/** For example, `rules[0].level`. */
export const pathText = (steps: readonly string[]): string =>
  steps.map((step, at) => (/^\d+$/.test(step) ? `[${step}]` : at === 0 ? step : `.${step}`)).join('')

/** Checks one keyword. Accepts values whose type the keyword does not apply to. */
type Rule = (schema: Fitting, value: unknown, rules: readonly Rule[]) => Misfit | undefined

/** Checks only fields and types. */
export const shapeMisfit = (schema: Fitting, value: unknown): Misfit | undefined => firstMisfit(schema, value, shape)

export const misfit = (schema: Fitting, value: unknown): Misfit | undefined => firstMisfit(schema, value, everything)

const firstMisfit: Rule = (schema, value, rules) => {
  for (const rule of rules) {
    const found = rule(schema, value, rules)
    if (found) return found
  }
  return undefined
}

const typed: Rule = (schema, value) =>
  schema.type === undefined || types[schema.type]?.(value) ? undefined : { keyword: 'type', path: [], value, schema }

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isMap,
  array: Array.isArray,
  string: value => typeof value === 'string',
  boolean: value => typeof value === 'boolean',
  number: Number.isFinite,
  integer: Number.isInteger,
}

/** If no alternative fits, the misfit of the first alternative counts. */
const anyOf: Rule = ({ anyOf }, value, rules) => {
  if (anyOf === undefined) return undefined
  const misfits = anyOf.map(one => firstMisfit(one, value, rules))
  return misfits.includes(undefined) ? undefined : misfits[0]
}

const oneOf: Rule = (schema, value, rules) => {
  const misfits = (schema.oneOf ?? []).map(one => firstMisfit(one, value, rules))
  const fitting = misfits.filter(found => found === undefined).length
  if (schema.oneOf === undefined || fitting === 1) return undefined
  return fitting === 0 ? misfits[0] : { keyword: 'oneOf', path: [], value, schema }
}

const required: Rule = (schema, value) => {
  const field = schema.required && isMap(value) && schema.required.find(name => value[name] === undefined)
  return field ? { keyword: 'required', path: [], value, schema, field } : undefined
}

const others: Rule = (schema, value, rules) => {
  const { properties = {}, additionalProperties } = schema
  if (additionalProperties === undefined || additionalProperties === true || !isMap(value)) return undefined
  const unknown = Object.keys(value).filter(name => !Object.hasOwn(properties, name))
  if (additionalProperties !== false)
    return firstBelow(unknown, name => firstMisfit(additionalProperties, value[name], rules))
  return unknown.length > 0
    ? { keyword: 'additionalProperties', path: [], value, schema, field: unknown[0] }
    : undefined
}

const fields: Rule = ({ properties }, value, rules) => {
  if (properties === undefined || !isMap(value)) return undefined
  for (const name in properties) {
    const [below, part] = [properties[name], value[name]]
    const found = below === undefined || part === undefined ? undefined : firstMisfit(below, part, rules)
    if (found) return { ...found, path: [name, ...found.path] }
  }
  return undefined
}

const items: Rule = ({ items }, value, rules) =>
  items && Array.isArray(value)
    ? firstBelow(Object.keys(value), index => firstMisfit(items, value[Number(index)], rules))
    : undefined

const firstBelow = (steps: readonly string[], look: (step: string) => Misfit | undefined): Misfit | undefined => {
  for (const step of steps) {
    const found = look(step)
    if (found) return { ...found, path: [step, ...found.path] }
  }
  return undefined
}

const forText =
  (keyword: keyof Fitting, fits: (text: string, schema: Fitting) => boolean): Rule =>
  (schema, value) =>
    schema[keyword] === undefined || typeof value !== 'string' || fits(value, schema)
      ? undefined
      : { keyword, path: [], value, schema }

const known: Rule = (schema, value) =>
  schema.enum === undefined || schema.enum.some(one => one === value)
    ? undefined
    : { keyword: 'enum', path: [], value, schema }

const shape: readonly Rule[] = [typed, anyOf, items, required, others, fields]

const everything: readonly Rule[] = [
  oneOf,
  typed,
  forText('maxLength', (text, { maxLength = 0 }) => text.length <= maxLength),
  forText('minLength', (text, { minLength = 0 }) => text.length >= minLength),
  forText('pattern', (text, { pattern = '' }) => new RegExp(pattern, 'u').test(text)),
  known,
  anyOf,
  items,
  required,
  others,
  fields,
]
