// Strategic merge as kustomize does it, unlike the API server: lists of known kinds merge by key and begin with the elements of the patch,
// and `$patch` is the only directive. The merge also visits fields that the patch omits. Changes both arguments in place: pass copies.
import { own, put } from '../../../core/json/fields.ts'
import { isMap, type JsonMap, mapOrEmpty } from '../../../core/json/json.ts'
import { RenderError } from '../../generator.ts'
import { absent, isNothing, nodeScalar, nodeText, plainValue } from '../files/documents.ts'
import type { Schema } from './schemas.ts'

export type SchemaOfKind = (apiVersion: string, kind: string) => Schema | undefined

/** undefined if the patch deletes the object. As in kubectl, `$patch: replace` for a whole object has no effect. */
export const strategicMerged = (object: JsonMap, patch: JsonMap, schemaOf: SchemaOfKind): JsonMap | undefined => {
  const result = merged(object, patch, undefined, schemaOf)
  if (result === patch) return object
  return isMap(result) ? result : undefined
}

const merged = (target: unknown, patch: unknown, known: Schema | undefined, schemaOf: SchemaOfKind): unknown => {
  const schema = known ?? schemaOfValue(target, schemaOf) ?? schemaOfValue(patch, schemaOf)
  const kind = kindOf(isNothing(target) ? patch : target)
  if (!isNothing(target) && !isNothing(patch) && kindOf(patch) !== kind)
    throw new RenderError(`wrong node kind: expected ${kind} but got ${kindOf(patch)}`)
  if (kind === 'scalar') return patch === absent ? target : (patch ?? absent)
  if (kind === 'list') return mergedList(target, patch, schema, schemaOf)
  return mergedMap(target, patch, schema, schemaOf)
}

const kindOf = (value: unknown): 'map' | 'list' | 'scalar' | 'nothing' => {
  if (isNothing(value)) return 'nothing'
  return Array.isArray(value) ? 'list' : isMap(value) ? 'map' : 'scalar'
}

const schemaOfValue = (value: unknown, schemaOf: SchemaOfKind): Schema | undefined => {
  if (!isMap(value)) return undefined
  const [apiVersion, kind] = [nodeScalar(value.apiVersion), nodeScalar(value.kind)]
  return apiVersion && kind ? schemaOf(apiVersion, kind) : undefined
}

const mergedMap = (target: unknown, patch: unknown, schema: Schema | undefined, schemaOf: SchemaOfKind): unknown => {
  const result = isNothing(target) ? added(target, patch) : changed(target, patch)
  if (!isMap(result)) return result
  const patchMap = mapOrEmpty(patch)
  for (const key of new Set([...Object.keys(result), ...Object.keys(patchMap)])) {
    const value = merged(valueAt(result, key), valueAt(patchMap, key), schema?.field(key), schemaOf)
    if (value === absent) delete result[key]
    else put(result, key, value)
  }
  return result
}

const valueAt = (map: JsonMap, key: string): unknown => (Object.hasOwn(map, key) ? own(map, key) : absent)

/** The value of a new key: a written null stays, an empty value does not. */
const added = (target: unknown, patch: unknown): unknown => {
  if (patch === absent) return target === null ? null : absent
  if (!isMap(patch)) return absent
  return takeDirective(patch) === 'delete' ? absent : patch
}

const changed = (target: unknown, patch: unknown): unknown => {
  if (patch === absent) return target
  if (!isMap(patch)) return absent
  return outcomes[takeDirective(patch)](target, patch)
}

const outcomes: Readonly<Record<Directive, (target: unknown, patch: unknown) => unknown>> = {
  merge: target => target,
  replace: (_target, patch) => patch,
  delete: () => absent,
}

type Directive = 'merge' | 'replace' | 'delete'

const takeDirective = (patch: JsonMap): Directive => {
  if (!Object.hasOwn(patch, '$patch')) return 'merge'
  const directive = directiveOf(patch.$patch)
  delete patch.$patch
  return directive
}

const directiveOf = (value: unknown): Directive => {
  if (value === 'merge' || value === 'replace' || value === 'delete') return value
  throw new RenderError(`unknown patch strategy '${nodeScalar(value)}'`)
}

const mergedList = (target: unknown, patch: unknown, schema: Schema | undefined, schemaOf: SchemaOfKind): unknown => {
  if (schema?.keys === undefined) return patch === absent ? target : (patch ?? absent)
  const result = isNothing(target) ? patch : changedList(target, patch)
  if (!Array.isArray(result)) return absent
  const elementSchema = schema.element()
  return mergedElements(result, Array.isArray(patch) ? patch : [], schema.keys, (one, other) =>
    merged(one, other, elementSchema, schemaOf),
  )
}

const changedList = (target: unknown, patch: unknown): unknown => {
  if (patch === absent) return target
  if (!Array.isArray(patch)) return absent
  return outcomes[takeListDirective(patch)](target, patch)
}

const takeListDirective = (patch: unknown[]): Directive => {
  const element = patch.find(one => isMap(one) && Object.hasOwn(one, '$patch'))
  if (!isMap(element) || Object.keys(element).length > 1) return 'merge'
  const directive = directiveOf(element.$patch)
  const rest = patch.filter(one => !isMap(one) || (Object.keys(one).length > 0 && one.$patch !== directive))
  patch.splice(0, patch.length, ...rest.filter(one => !isNothing(one)))
  return directive
}

type MergeTwo = (target: unknown, patch: unknown) => unknown

type Values = readonly string[]

/** Without keys, elements are scalars and are compared by value. */
const mergedElements = (
  target: unknown[],
  patch: readonly unknown[],
  keys: readonly string[],
  mergeTwo: MergeTwo,
): unknown[] => (keys.length > 0 ? byKeys(target, patch, keys, mergeTwo) : byValue(target, patch))

const byValue = (target: readonly unknown[], patch: readonly unknown[]): unknown[] => {
  const found = new Map<string, unknown>()
  for (const element of [...patch, ...target]) if (!isNothing(element)) found.set(nodeText(element), element)
  return [...found.values()]
}

const byKeys = (
  target: unknown[],
  patch: readonly unknown[],
  keys: readonly string[],
  mergeTwo: MergeTwo,
): unknown[] => {
  const all = completed(distinct([...patch, ...target].map(element => valuesOf(element, keys))))
  const used = keys.filter((_, index) => all.some(values => values[index] !== ''))
  const validKeys = used.length > 0 ? used : keys
  let kept = target
  let items: unknown[] = []
  for (const values of all) {
    const validValues = values.filter((_, index) => validKeys.includes(keys[index] ?? ''))
    const find = finder(validKeys, validValues)
    const value = mergeTwo(find(kept), find(patch))
    if (isNothing(value) || isEmptyMap(value)) kept = withElement(kept, absent, validKeys, validValues)
    else items = withElement(items, keyed(value, validKeys, validValues), validKeys, validValues)
  }
  return all.length > 0 ? appended(items, kept, validKeys) : kept
}

const valuesOf = (element: unknown, keys: readonly string[]): Values =>
  keys.map(key => nodeScalar(isMap(element) ? own(element, key) : undefined))

const distinct = (lists: readonly Values[]): Values[] => [
  ...new Map(lists.map(values => [JSON.stringify(values), values])).values(),
]

/** An element that has only some of the keys takes the other keys from an element with the same values of its keys. */
const completed = (lists: Values[]): Values[] => {
  for (const [i, values] of [...lists.entries()])
    for (const j of lists.keys()) {
      const both = values.length > 1 ? agreed(values, lists[j] ?? []) : undefined
      if (both === undefined) continue
      lists[i] = both
      lists[j] = both
    }
  return lists
}

const agreed = (left: Values, right: Values): Values | undefined => {
  const isContradicted = left.some((value, index) => value !== '' && right[index] !== '' && value !== right[index])
  const agrees = left.some((value, index) => value === right[index])
  return isContradicted || !agrees ? undefined : left.map((value, index) => value || (right[index] ?? ''))
}

const finder = (keys: readonly string[], values: Values): ((list: readonly unknown[]) => unknown) => {
  const given = keys.map((key, index) => ({ key, value: values[index] ?? '' }))
  const asked = given.some(({ value }) => value !== '') ? given.filter(({ value }) => value !== '') : given
  return list => {
    const found = list.find(
      one =>
        isMap(one) && asked.every(({ key, value }) => Object.hasOwn(one, key) && nodeText(own(one, key)) === value),
    )
    return found ?? absent
  }
}

/** Writes values of keys into the element if the element does not have these keys itself. */
const keyed = (element: unknown, keys: readonly string[], values: Values): unknown => {
  if (isMap(element))
    for (const [index, key] of keys.entries())
      if (!Object.hasOwn(element, key) && values[index]) put(element, key, plainValue(values[index]))
  return element
}

/** Elements of `list` replace equal items, or are added at the end. */
const appended = (items: unknown[], list: readonly unknown[], keys: readonly string[]): unknown[] => {
  let result = items
  for (const element of list) {
    if (!isMap(element)) throw new RenderError('wrong node kind: expected map in a list that merges by key')
    const values: string[] = []
    for (const key of keys) {
      if (Object.hasOwn(element, key)) values.push(nodeText(own(element, key)))
      else result = [...result, element]
    }
    if (keys.length > 1) result = withElement(result, absent, keys, values)
    result = withElement(result, element, keys, values)
  }
  return result
}

/** Replaces every match by the element, or adds the element. `absent` removes the matches. */
const withElement = (
  list: readonly unknown[],
  element: unknown,
  keys: readonly string[],
  values: Values,
): unknown[] => {
  const result: unknown[] = []
  let isFound = false
  for (const one of list.filter(one => !isNothing(one) && !isEmptyMap(one))) {
    if (!isMap(one) && values[0]) result.push(one)
    else if (matches(one, keys, values)) {
      isFound = true
      if (element !== absent) result.push(element)
    } else if (values.length > 0) result.push(one)
  }
  return isFound || isNothing(element) ? result : [...result, element]
}

const matches = (element: unknown, keys: readonly string[], values: Values): boolean => {
  if (!isMap(element)) throw new RenderError('wrong node kind: expected map in a list that merges by key')
  if (values.length === 0) return false
  return keys
    .slice(0, values.length)
    .every(
      (key, index) => Object.hasOwn(element, key) && (!values[index] || nodeText(own(element, key)) === values[index]),
    )
}

const isEmptyMap = (value: unknown): boolean => isMap(value) && Object.keys(value).length === 0
