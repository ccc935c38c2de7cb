// What printing a value costs. What is in a value twice is printed twice, so that a few lists within each other can make more text
// than there is room for anywhere.
import type { Budget } from '../run/budget.ts'
import { GoMap, type GoValue, isList, Struct } from './value.ts'

/** Before a value is printed: each part of it is a step, and its texts take room. */
export const weigh = (value: GoValue, budget: Budget): void => {
  budget.step()
  if (typeof value === 'string') budget.text(value.length)
  else if (value instanceof Uint8Array) budget.list(value.length)
  else if (isList(value)) for (const item of value) weigh(item, budget)
  else if (value instanceof GoMap) weighMap(value, budget)
  else if (value instanceof Struct) {
    weighMap(value.fields, budget)
    if (value.under !== undefined) weigh(value.under, budget)
  }
}

const weighMap = (map: GoMap, budget: Budget): void => {
  for (const [key, item] of map) {
    budget.text(key.length)
    weigh(item, budget)
  }
}
