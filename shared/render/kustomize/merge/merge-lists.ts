// Merges lists by key. The elements of the patch come first, in the order of the patch, then the other elements in their own order. An
// element without one of the keys is matched by the keys that it has. Some rules below are unusual, but kubectl's results depend on them.
import { own, put } from '../../../core/json/fields.ts'
import { isMap } from '../../../core/json/json.ts'
import { RenderError } from '../../generator.ts'
import { absent, isNothing, nodeScalar, nodeText, plainValue } from '../files/documents.ts'

type MergeTwo = (target: unknown, patch: unknown) => unknown

type Values = readonly string[]

/** Without keys, elements are scalars and are compared by value. */
export const mergedElements = (
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
