// Exact decimal arithmetic for addf and its like: 0.1 + 0.2 is 0.3.
import { Failure } from '../run/failure.ts'

/** `coefficient * 10 ** -places`. */
export type Decimal = { readonly coefficient: bigint; readonly places: number }

/** The shortest decimal that is this float. */
export const decimalOf = (value: number): Decimal => {
  if (!Number.isFinite(value)) throw new Failure(`Cannot create a Decimal from ${Number.isNaN(value) ? 'NaN' : 'Inf'}`)
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e')
  const [whole = '0', part = ''] = mantissa.split('.')
  const places = part.length - Number(exponent)
  const coefficient = BigInt(whole + part)
  return places >= 0 ? { coefficient, places } : { coefficient: coefficient * 10n ** BigInt(-places), places: 0 }
}

export const floatOfDecimal = ({ coefficient, places }: Decimal): number => Number(`${coefficient}e${-places}`)

type Operation = (a: Decimal, b: Decimal) => Decimal

const scaled = ({ coefficient, places }: Decimal, to: number): bigint => coefficient * 10n ** BigInt(to - places)

const aligned = (a: Decimal, b: Decimal, does: (x: bigint, y: bigint) => bigint): Decimal => {
  const places = Math.max(a.places, b.places)
  return { coefficient: does(scaled(a, places), scaled(b, places)), places }
}

export const plus: Operation = (a, b) => aligned(a, b, (x, y) => x + y)
export const minus: Operation = (a, b) => aligned(a, b, (x, y) => x - y)
export const times: Operation = (a, b) => ({ coefficient: a.coefficient * b.coefficient, places: a.places + b.places })

/** Digits behind the point of a quotient, which is rounded away from zero at the half. */
const quotientPlaces = 16

const size = (value: bigint): bigint => (value < 0n ? -value : value)

export const dividedBy: Operation = (a, b) => {
  if (b.coefficient === 0n) throw new Failure('decimal division by 0')
  const dividend = size(a.coefficient) * 10n ** BigInt(quotientPlaces + b.places)
  const divisor = size(b.coefficient) * 10n ** BigInt(a.places)
  const rounded = (dividend * 2n + divisor) / (divisor * 2n)
  const isNegative = a.coefficient < 0n !== b.coefficient < 0n
  return { coefficient: isNegative ? -rounded : rounded, places: quotientPlaces }
}
