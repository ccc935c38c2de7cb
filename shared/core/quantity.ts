// Kubernetes quantities such as 100m, 1.5Gi or 3e6, for comparing.

/** Its amount as a number, exact to 15 digits; undefined when it is no quantity. */
export const quantityAmount = (quantity: string | number): number | undefined => {
  if (typeof quantity === 'number') return quantity
  const [, digits, suffix = ''] = shape.exec(quantity) ?? []
  if (digits === undefined) return undefined
  return Number(digits) * (factors[suffix] ?? 10 ** Number(suffix.slice(1)))
}

const shape = /^([+-]?(?:\d{1,100}(?:\.\d{0,100})?|\.\d{1,100}))([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d{1,3})?$/

const factors: Readonly<Record<string, number>> = {
  ...{ '': 1, n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
}
