// The rows of the rule table: what one says, and in which words. How all of them are held against a Garden is told in
// walk.ts, and what of their findings may stay as it stood in known-faults.ts.
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../shared/core/field-error.ts'
import type { Garden } from '../../../shared/core/garden.ts'
import { isMap } from '../../../shared/core/json.ts'

/** What a review is about: the Garden as it would be stored and, of an update, as it is stored. */
export type ReviewedGarden = { readonly garden: Garden; readonly before?: Garden }

/** A value of the Garden and where it stands. */
export type FieldPlace<Value = unknown> = {
  /** As Kubernetes writes paths. */
  readonly path: string
  /** The field, or the key in a map; empty for an item of a list. */
  readonly name: string
  readonly value: Value
  /** The Kubernetes version the Garden asks for, such as `1.34`; undefined when it is none that is supported. */
  readonly minor: string | undefined
}

/** What a rule found, and the value it found it in. */
export type RuleFault = { readonly error: FieldError; readonly about: unknown }

export type GardenRule = {
  readonly at: readonly string[]
  /** Whether it judges a value by itself: then what it finds may stay where it stood before. */
  readonly isOfOneField: boolean
  readonly faults: (place: FieldPlace, subject: ReviewedGarden) => Iterable<RuleFault>
}

type Row = {
  /** Where it looks: `a.b` a field, `a[]` each item of a list, `a{}` each entry of a map; where no value is, it does not. */
  at: readonly string[]
}

/** A row about one field: its value is right or wrong whatever else the Garden says, for a Kubernetes version. */
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
  /** The field of an item that counts; the item itself when none is named. */
  field?: string
  /** What two items have in common that are the same to us. */
  by?: (value: unknown) => unknown
}

/** A row about a list whose items are each to be there once. */
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

/** A row about how a value fits other fields, or what the Garden was before; it finds one fault or none. */
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

/** The same where many faults may be found at one place. */
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

/** The usual errors about the value at the place itself. */
export const says = {
  required: (detail: string) => (place: FieldPlace) => required(place.path, detail),
  invalid: (detail: string) => (place: FieldPlace) => invalid(place.path, place.value, detail),
  forbidden: (detail: string) => (place: FieldPlace) => forbidden(place.path, detail),
  notSupported: (values: readonly string[]) => (place: FieldPlace) => notSupported(place.path, place.value, values),
} as const

/** The path of what an entry of a map stands in: `a.b` of `a.b.key`. */
export const ownerPath = ({ path, name }: FieldPlace): string => path.slice(0, -name.length - 1)
