// Builders for the rows of the rule table. walk.ts applies the table to Gardens. A fault of the stored Garden may stay in an update.
import { isMap } from '../../../shared/core/json/json.ts'
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../shared/core/objects/field-error.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'

/** The Garden to store. `before`: the stored Garden, for updates. */
export type ReviewedGarden = { readonly garden: Garden; readonly before?: Garden }

export type FieldPlace<Value = unknown> = {
  readonly path: string
  /** The name of the field or the key of the map. Empty for items of lists. */
  readonly name: string
  readonly value: Value
  /** The Garden's Kubernetes version, for example `1.34`. undefined: the version is not supported. */
  readonly minor: string | undefined
}

export type RuleFault = { readonly error: FieldError; readonly about: unknown }

export type GardenRule = {
  readonly at: readonly string[]
  /** The rule checks a single value. An update may keep a fault of such a rule if the stored Garden already has it. */
  readonly isOfOneField: boolean
  readonly faults: (place: FieldPlace, subject: ReviewedGarden) => Iterable<RuleFault>
}

type Row = {
  /** The checked values: `a.b` is a field, `a[]` each item of a list, `a{}` each entry of a map. Absent values are not checked. */
  at: readonly string[]
}

/** A rule about one value. Its validity depends only on the value and the Kubernetes version. */
export const rule = <Value>(
  row: Row & {
    check: (value: Value, place: FieldPlace<Value>) => boolean
    error: (place: FieldPlace<Value>) => FieldError
  },
): GardenRule => ({
  at: row.at,
  isOfOneField: true,
  faults: place => {
    const typed = place as FieldPlace<Value>
    return row.check(typed.value, typed) ? [{ error: row.error(typed), about: typed.value }] : none
  },
})

const none: readonly RuleFault[] = []

type Once = Row & {
  /** The field to compare in the items. Absent: the items themselves are compared. */
  field?: string
  /** Maps values to comparison keys. */
  by?: (value: unknown) => unknown
}

export const eachOnce = ({ at, field, by = value => value }: Once): GardenRule => ({
  at,
  isOfOneField: true,
  *faults({ path, value }) {
    const seen = new Set<unknown>()
    for (const [i, item] of Array.isArray(value) ? value.entries() : []) {
      const counted: unknown = field === undefined ? item : isMap(item) ? item[field] : undefined
      const before = seen.size
      if (seen.add(by(counted)).size > before) continue
      yield { error: duplicate(`${path}[${i}]${field === undefined ? '' : `.${field}`}`, counted), about: counted }
    }
  },
})

/** A rule that compares a value with other fields or the stored Garden. It finds at most one fault per value. */
export const relation = <Value>(
  row: Row & {
    check: (value: Value, subject: ReviewedGarden, place: FieldPlace<Value>) => boolean
    error: (place: FieldPlace<Value>, subject: ReviewedGarden) => FieldError
  },
): GardenRule =>
  relationOfEach<Value, true>({
    at: row.at,
    check: (value, subject, place) => (row.check(value, subject, place) ? [true] : []),
    error: (place, _, subject) => row.error(place, subject),
  })

/** Like `relation`, but for several faults per value. */
export const relationOfEach = <Value, Finding>(
  row: Row & {
    check: (value: Value, subject: ReviewedGarden, place: FieldPlace<Value>) => Iterable<Finding>
    error: (place: FieldPlace<Value>, finding: Finding, subject: ReviewedGarden) => FieldError
  },
): GardenRule => ({
  at: row.at,
  isOfOneField: false,
  *faults(place, subject) {
    const typed = place as FieldPlace<Value>
    for (const finding of row.check(typed.value, subject, typed))
      yield { error: row.error(typed, finding, subject), about: typed.value }
  },
})

export const says = {
  required: (detail: string) => (place: FieldPlace) => required(place.path, detail),
  invalid: (detail: string) => (place: FieldPlace) => invalid(place.path, place.value, detail),
  forbidden: (detail: string) => (place: FieldPlace) => forbidden(place.path, detail),
  notSupported: (values: readonly string[]) => (place: FieldPlace) => notSupported(place.path, place.value, values),
} as const

/** Short forms of `rule`, for errors that only need a detail: `invalidIf([path], size => size < 0, 'must not be negative')`. */
const ruleIf =
  (word: 'required' | 'invalid' | 'forbidden') =>
  <Value>(at: readonly string[], check: (value: Value, place: FieldPlace<Value>) => boolean, detail: string) =>
    rule<Value>({ at, check, error: says[word](detail) })

export const requiredIf = ruleIf('required')
export const invalidIf = ruleIf('invalid')
export const forbiddenIf = ruleIf('forbidden')

export const mustBeOneOf = (at: readonly string[], values: readonly string[]): GardenRule =>
  rule<string>({ at, check: value => !values.includes(value), error: says.notSupported(values) })

/** The path of an entry's map: `a.b` for `a.b.key`. */
export const ownerPath = ({ path, name }: FieldPlace): string => path.slice(0, -name.length - 1)
