// The rule table: what a row of it says, and how all rows are held against a Garden in one walk through it. A row costs
// nothing where the Garden has no value, so the walk is as long as the Garden.
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../shared/core/field-error.ts'
import type { Garden } from '../../../shared/core/garden.ts'
import { isMap, type JsonMap } from '../../../shared/core/json.ts'

/** What a review is about: the Garden as it would be stored and, of an update, as it is stored. */
export type Subject = { readonly garden: Garden; readonly before?: Garden }

/** A value of the Garden, the path to it as Kubernetes writes paths, and its name: of the field, or its key in a map. */
export type Place<Value = unknown> = { readonly path: string; readonly name: string; readonly value: Value }

export type Rule = {
  readonly at: readonly string[]
  readonly appliesTo: (subject: Subject) => boolean
  readonly errors: (place: Place, subject: Subject) => Iterable<FieldError>
}

type Row = {
  /** Where it looks: `a.b` a field, `a[]` each item of a list, `a{}` each entry of a map; where no value is, it does not. */
  at: readonly string[]
  /** Which reviews it is for; all when it does not say. */
  appliesTo?: (subject: Subject) => boolean
}

/** A row that finds one fault at a place, or none. */
export const rule = <Value>(
  row: Row & {
    check: (value: Value, subject: Subject, place: Place<Value>) => boolean
    error: (place: Place<Value>, subject: Subject) => FieldError
  },
): Rule => ({
  at: row.at,
  appliesTo: row.appliesTo ?? always,
  errors: (place, subject) => {
    const typed = place as Place<Value>
    return row.check(typed.value, subject, typed) ? [row.error(typed, subject)] : none
  },
})

/** A row that may find many faults at one place, such as among the items of a list. */
export const ruleOfEach = <Value, Finding>(
  row: Row & {
    check: (value: Value, subject: Subject, place: Place<Value>) => Iterable<Finding>
    error: (place: Place<Value>, finding: Finding, subject: Subject) => FieldError
  },
): Rule => ({
  at: row.at,
  appliesTo: row.appliesTo ?? always,
  *errors(place, subject) {
    const typed = place as Place<Value>
    for (const finding of row.check(typed.value, subject, typed)) yield row.error(typed, finding, subject)
  },
})

const always = (): boolean => true
const none: readonly FieldError[] = []

/** The usual errors about the value at the place itself. */
export const says = {
  required: (detail: string) => (place: Place) => required(place.path, detail),
  invalid: (detail: string) => (place: Place) => invalid(place.path, place.value, detail),
  forbidden: (detail: string) => (place: Place) => forbidden(place.path, detail),
  notSupported: (values: readonly string[]) => (place: Place) => notSupported(place.path, place.value, values),
} as const

type Indexed = { readonly index: number; readonly value: unknown }

/** Of a list whose items are each to be there once: the rows' check and error. `field` is that of an item which counts. */
export const eachOnce = (field?: string) => ({
  check: (items: readonly unknown[]) => repeated(items.map(item => keyOf(item, field))),
  error: ({ path }: Place, { index, value }: Indexed) =>
    duplicate(`${path}[${index}]${field === undefined ? '' : `.${field}`}`, value),
})

const keyOf = (item: unknown, field: string | undefined): unknown =>
  field === undefined ? item : isMap(item) ? item[field] : undefined

function* repeated(values: readonly unknown[]): Generator<Indexed, undefined> {
  const seen = new Set<unknown>()
  for (const [index, value] of values.entries()) {
    if (seen.has(value)) yield { index, value }
    seen.add(value)
  }
  return undefined
}

/** The rows by the steps of their paths. */
export type RuleTree = { rules: Rule[]; below: Map<string, RuleTree> }

/** The table made ready for walks. */
export const ruleTree = (rules: readonly Rule[]): RuleTree => {
  const root = emptyTree()
  for (const rule of rules) {
    for (const path of rule.at)
      path
        .split(/\.|(?=\[\]|\{\})/)
        .reduce(treeBelow, root)
        .rules.push(rule)
  }
  return root
}

const emptyTree = (): RuleTree => ({ rules: [], below: new Map() })

/** That one step further down, made if there is none. */
const treeBelow = (tree: RuleTree, step: string): RuleTree => {
  const below = tree.below.get(step) ?? emptyTree()
  tree.below.set(step, below)
  return below
}

/** All that is wrong with the Garden, up to `most` errors: a caller must not make us write more than anybody reads. */
export const errorsOf = (tree: RuleTree, subject: Subject, most: number): FieldError[] => {
  const errors: FieldError[] = []
  walk(tree, { path: '', name: '', value: subject.garden }, { subject, errors, most })
  return errors
}

type Walk = { readonly subject: Subject; readonly errors: FieldError[]; readonly most: number }

const walk = (tree: RuleTree, place: Place, on: Walk): void => {
  const { path, value } = place
  if (value === undefined || value === null || on.errors.length >= on.most) return
  for (const { appliesTo, errors } of tree.rules) {
    if (appliesTo(on.subject)) take(errors(place, on.subject), on)
  }
  if (Array.isArray(value)) walkItems(tree, path, value, on)
  else if (isMap(value)) walkFields(tree, path, value, on)
}

const walkItems = ({ below }: RuleTree, path: string, list: readonly unknown[], on: Walk): void => {
  const items = below.get('[]')
  if (items) for (const [i, value] of list.entries()) walk(items, { path: `${path}[${i}]`, name: '', value }, on)
}

const walkFields = ({ below }: RuleTree, path: string, map: JsonMap, on: Walk): void => {
  const prefix = path === '' ? '' : `${path}.`
  for (const [field, fields] of below) {
    if (Object.hasOwn(map, field)) walk(fields, { path: prefix + field, name: field, value: map[field] }, on)
  }
  const entries = below.get('{}')
  if (entries) for (const [name, value] of Object.entries(map)) walk(entries, { path: prefix + name, name, value }, on)
}

const take = (found: Iterable<FieldError>, { errors, most }: Walk): void => {
  for (const error of found) {
    if (errors.length >= most) return
    errors.push(error)
  }
}
