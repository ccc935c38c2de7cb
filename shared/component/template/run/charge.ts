// What a call of a function costs: every step that it will take is paid for before it is taken, by the length of what it is given, so
// that no function has to count for itself what it goes through.
import { lengthOf } from '../value/kinds.ts'
import type { Cost, TemplateFunction } from '../value/signature.ts'
import type { GoValue } from '../value/value.ts'
import { charactersPerByte, weigh } from '../value/weight.ts'
import { type Budget, charactersPerStep } from './budget.ts'

const usual: Cost = { weight: 1, call: 0, reads: 'texts' }

/** Before a function is called with these arguments. */
export const charge = ({ cost = usual }: TemplateFunction, args: readonly GoValue[], budget: Budget): void => {
  let characters = 0
  for (const arg of args) {
    if (typeof arg === 'string') characters += arg.length
    else if (arg instanceof Uint8Array) characters += arg.length * charactersPerByte
    else if (cost.reads === 'all') weigh(arg, budget, cost.weight)
    else if (cost.reads === 'elements') budget.list(lengthOf(arg) ?? 0, cost.weight)
  }
  budget.step(1 + cost.call + (characters * cost.weight) / charactersPerStep)
}
