// Orders hooks among the waves of the engine, whose orders are 16-bit integers, while weights of hooks are any integers.

/** The weights of a chart's hooks as orders. */
export type HookScale = {
  /** All orders lie between this and its negative. */
  readonly most: number
  /** The order for one of the weights: a heavier hook has a higher one. */
  readonly at: (weight: number) => number
}

/** Weights up to here leave the orders of other hooks as they are. */
const usualMost = 100

/** The orders after the chart's own objects, one more included, are `1` to `2 * most + 1`: no more than fit into 16 bits. */
const widest = (32_767 - 1) / 2

/** A scale for these weights: they are orders themselves unless one is too far out, and are counted then. */
export const hookScale = (weights: readonly number[]): HookScale => {
  const most = weights.reduce((so, weight) => Math.max(so, Math.abs(weight)), usualMost)
  if (most <= widest) return { most, at: weight => weight }
  const sorted = [...new Set(weights)].sort((a, b) => a - b)
  const lighter = sorted.filter(weight => weight < 0).length
  const places = new Map(sorted.map((weight, index) => [weight, index - lighter]))
  return { most: Math.max(usualMost, sorted.length), at: weight => places.get(weight) ?? 0 }
}
