// What it costs to go through a value. What is in a value twice is gone through twice, so that a few lists within each other can
// make more text than there is room for anywhere.
import type { Budget } from '../run/budget.ts'
import { GoMap, type GoValue, isList, Struct } from './value.ts'

/** Before all that a value holds is gone through: each part of it is a step, and its texts take room. */
export const weigh = (value: GoValue, budget: Budget, weight = 1): void => {
  const inner = weight + perLevel
  budget.step(weight)
  if (typeof value === 'string') budget.text(value.length, weight)
  else if (value instanceof Uint8Array) budget.text(value.length * charactersPerByte, weight)
  else if (isList(value)) for (const item of value) weigh(item, budget, inner)
  else if (value instanceof GoMap) weighMap(value, budget, inner)
  else if (value instanceof Struct) {
    weighMap(value.fields, budget, inner)
    if (value.under !== undefined) weigh(value.under, budget, inner)
  }
}

/** A byte in a list of bytes becomes a number of its own, and is printed as one. */
export const charactersPerByte = 16

/** What is deeper is part of more texts on the way to the last. */
const perLevel = 1 / 16

const weighMap = (map: GoMap, budget: Budget, weight: number): void => {
  for (const [key, item] of map) {
    budget.text(key.length, weight)
    weigh(item, budget, weight)
  }
}
