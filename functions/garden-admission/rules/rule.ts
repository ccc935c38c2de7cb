// The rows of the rule table. walk.ts applies all rows to a Garden, and lets an update keep faults that are
// stored already.
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

/** The Garden as it would be stored; `before`: at an update, as it is stored. */
export type ReviewedGarden = { readonly garden: Garden; readonly before?: Garden }

export type FieldPlace<Value = unknown> = {
  /** As Kubernetes writes paths. */
  readonly path: string
  /** The field, or the key in a map; empty for an item of a list. */
  readonly name: string
  readonly value: Value
  /** The Kubernetes version the Garden asks for, such as `1.34`; undefined when it is none that is supported. */
  readonly minor: string | undefined
}

export type RuleFault = { readonly error: FieldError; readonly about: unknown }

export type GardenRule = {
  readonly at: readonly string[]
  /** It depends on one value alone: then a fault that is stored already may stay. */
  readonly isOfOneField: boolean
  readonly faults: (place: FieldPlace, subject: ReviewedGarden) => Iterable<RuleFault>
}

type Row = {
  /** Where it looks: `a.b` a field, `a[]` each item of a list, `a{}` each entry of a map. Absent values are not checked. */
  at: readonly string[]
}

/** A row about one field, whose value is valid or not for a Kubernetes version, whatever the rest of the Garden is. */
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
  /** The field of an item that is compared; absent: the item itself. */
  field?: string
  /** The key by which items are compared. */
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

/** A row that compares a value with other fields or with the stored Garden; it finds one fault or none. */
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

/** The same for rows that may find several faults at one path. */
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

/** The path of the map of an entry: `a.b` of `a.b.key`. */
export const ownerPath = ({ path, name }: FieldPlace): string => path.slice(0, -name.length - 1)
