// Paths to fields of one object, with dots: `spec.containers.[name=app].image`, `data.[my.key]`, `spec.ports.0`, `*`.
import { own, put } from '../../../core/json/fields.ts'
import { isMap, type JsonMap } from '../../../core/json/json.ts'
import { RenderError } from '../../generator.ts'
import { nodeText, plainValue } from '../files/documents.ts'
import { compiled } from '../resources.ts'
import { splitPath } from './field-spec.ts'

export type Slot = { readonly value: unknown; readonly set: (value: unknown) => void }

/** Splits a path at its dots. A dot within brackets is part of a name. */
export const fieldPath = (path: string): string[] => {
  const steps: string[] = []
  let open: string[] = []
  for (const part of splitPath(path, '.')) {
    if (open.length === 0 && (!part.startsWith('[') || part.endsWith(']'))) steps.push(part)
    else open.push(part)
    if (open.length > 0 && part.endsWith(']')) open = closed(steps, open)
  }
  if (open.length > 0) closed(steps, open)
  return steps
}

const closed = (steps: string[], open: readonly string[]): string[] => {
  const text = open.join('.')
  steps.push(text.includes('=') ? text : withoutBrackets(text))
  return []
}

const withoutBrackets = (text: string): string => {
  const isBracket = (character: string | undefined): boolean => character === '[' || character === ']'
  let [from, to] = [0, text.length]
  while (from < to && isBracket(text[from])) from++
  while (to > from && isBracket(text[to - 1])) to--
  return text.slice(from, to)
}

const isIndex = (step: string): boolean => /^\+?\d+$/.test(step)
const isElement = (step: string): boolean => step.startsWith('[') && step.endsWith(']')

/** `[name=app]` selects an element by a field; `[=app]` selects an element that is itself `app`. */
const elementOf = (step: string): { name: string; value: string } => {
  const text = step.slice(1, -1)
  const sign = text.indexOf('=')
  if (sign < 0) throw new RenderError(`list path element ${step} must contain fieldName=fieldValue`)
  return { name: text.slice(0, sign), value: text.slice(sign + 1) }
}

/** The value at the path; undefined if a part of the path does not exist. */
export const valueAt = (object: unknown, steps: readonly string[]): unknown =>
  steps
    .map(step => step.trim())
    .filter(step => step !== '')
    .reduce((value, step) => (value === undefined || value === null ? undefined : next(value, step)), object)

const next = (value: unknown, step: string): unknown => {
  if (isIndex(step)) return listOf(value, step)[Number(step)]
  if (step === '-') return listOf(value, step).at(-1)
  if (step === '*') throw new RenderError('a path to a single value cannot contain the wildcard *')
  if (!isElement(step)) return own(mapOf(value, step), step)
  const { name, value: wanted } = elementOf(step)
  return listOf(value, step).find(one =>
    name === ''
      ? nodeText(one) === wanted
      : isMap(one) && Object.hasOwn(one, name) && nodeText(own(one, name)) === wanted,
  )
}

const listOf = (value: unknown, step: string): unknown[] => {
  if (Array.isArray(value)) return value
  throw new RenderError(`path element ${step} can only be used in a list`)
}

const mapOf = (value: unknown, step: string): JsonMap => {
  if (isMap(value)) return value
  throw new RenderError(`path element ${step} can only be used in a map`)
}

type Creation = { readonly make: () => unknown }

/** The places that the path leads to. With a creation, missing places are created. */
export const slotsAt = (slot: Slot, steps: readonly string[], creation?: Creation): Slot[] => {
  const [step, ...rest] = steps
  if (step === undefined) return [slot]
  const made = creation && { make: () => initial(rest[0], creation) }
  const walk = (inner: Slot): Slot[] => slotsAt(inner, rest, creation)
  if (isIndex(step)) return walk(indexSlot(slot, Number(step), made))
  if (isElement(step))
    return elementSlots(slot, step, creation).flatMap(inner => (elementOf(step).name === '' ? [inner] : walk(inner)))
  if (step === '*') return elementsOf(slot).flatMap(walk)
  return fieldSlots(slot, step, made).flatMap(walk)
}

const initial = (nextStep: string | undefined, { make }: Creation): unknown => {
  if (nextStep === undefined || nextStep === '') return make()
  return isIndex(nextStep) || isElement(nextStep) ? [] : {}
}

const fieldSlots = (slot: Slot, name: string, made: Creation | undefined): Slot[] => {
  if (slot.value === null || slot.value === undefined) return []
  const map = mapOf(slot.value, name)
  if (!Object.hasOwn(map, name)) {
    if (made === undefined) return []
    put(map, name, made.make())
  }
  return [{ value: own(map, name), set: value => put(map, name, value) }]
}

const elementsOf = (slot: Slot): Slot[] =>
  slot.value === null || slot.value === undefined
    ? []
    : listOf(slot.value, '*').map((_, index, list) => ({
        value: list[index],
        set: value => {
          list[index] = value
        },
      }))

const indexSlot = (slot: Slot, index: number, made: Creation | undefined): Slot => {
  const list = slot.value === undefined || slot.value === null ? [] : listOf(slot.value, String(index))
  if (list.length === index && made) list.push(made.make())
  if (index >= list.length) throw new RenderError(`index ${index} specified but only ${list.length} elements found`)
  const found = elementsOf({ ...slot, value: list })[index]
  if (found === undefined) throw new RenderError(`index ${index} not found`)
  return found
}

const elementSlots = (slot: Slot, step: string, creation: Creation | undefined): Slot[] => {
  const { name, value } = elementOf(step)
  const pattern = compiled(value)
  const isMatch = (element: unknown): boolean => {
    if (name === '') return pattern.matcher(nodeText(element)).find()
    return isMap(element) && Object.hasOwn(element, name) && pattern.matcher(nodeText(own(element, name))).find()
  }
  const found = elementsOf(slot).filter(({ value }) => isMatch(value))
  if (found.length > 0 || creation === undefined) return found
  listOf(slot.value, step).push(name === '' ? plainValue(value) : { [name]: plainValue(value) })
  return elementsOf(slot).slice(-1)
}
