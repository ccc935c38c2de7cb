// Arithmetic in int64, exact decimals (0.1 + 0.2 is 0.3) in functions whose name ends in f, sequences, bits and IPv4 addresses.
import { formatted } from '../format/print.ts'
import { Failure } from '../run/environment.ts'
import { quote } from '../syntax/literals.ts'
import { toFloat, toInt64 } from '../value/casting.ts'
import { type FunctionTable, fn, within } from '../value/function.ts'
import { type Call, type GoValue, int64, type TemplateFunction, typedList } from '../value/value.ts'

const whole = (does: (a: bigint, b: bigint) => bigint): TemplateFunction =>
  fn('any any', (a, b) => int64(does(toInt64(a), toInt64(b))))

const folded = (does: (a: bigint, b: bigint) => bigint): TemplateFunction =>
  fn('any ...any', (first, ...rest) =>
    int64(rest.reduce<bigint>((sum, value) => does(sum, toInt64(value)), toInt64(first))),
  )

/** `coefficient * 10 ** -places`. */
type Decimal = { readonly coefficient: bigint; readonly places: number }

const decimalOf = (value: number): Decimal => {
  if (!Number.isFinite(value)) throw new Failure(`Cannot create a Decimal from ${Number.isNaN(value) ? 'NaN' : 'Inf'}`)
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e')
  const [whole = '0', part = ''] = mantissa.split('.')
  const places = part.length - Number(exponent)
  const coefficient = BigInt(whole + part)
  return places >= 0 ? { coefficient, places } : { coefficient: coefficient * 10n ** BigInt(-places), places: 0 }
}

const floatOfDecimal = ({ coefficient, places }: Decimal): number => Number(`${coefficient}e${-places}`)

type Operation = (a: Decimal, b: Decimal) => Decimal

const scaled = ({ coefficient, places }: Decimal, to: number): bigint => coefficient * 10n ** BigInt(to - places)

const aligned = (a: Decimal, b: Decimal, does: (x: bigint, y: bigint) => bigint): Decimal => {
  const places = Math.max(a.places, b.places)
  return { coefficient: does(scaled(a, places), scaled(b, places)), places }
}

const plus: Operation = (a, b) => aligned(a, b, (x, y) => x + y)
const minus: Operation = (a, b) => aligned(a, b, (x, y) => x - y)
const times: Operation = (a, b) => ({ coefficient: a.coefficient * b.coefficient, places: a.places + b.places })

/** Decimal places of a quotient. Halves are rounded away from zero. */
const quotientPlaces = 16

const size = (value: bigint): bigint => (value < 0n ? -value : value)

const dividedBy: Operation = (a, b) => {
  if (b.coefficient === 0n) throw new Failure('decimal division by 0')
  const dividend = size(a.coefficient) * 10n ** BigInt(quotientPlaces + b.places)
  const divisor = size(b.coefficient) * 10n ** BigInt(a.places)
  const rounded = (dividend * 2n + divisor) / (divisor * 2n)
  const isNegative = a.coefficient < 0n !== b.coefficient < 0n
  return { coefficient: isNegative ? -rounded : rounded, places: quotientPlaces }
}

const decimals = (does: Operation, first: number, rest: readonly GoValue[]): number =>
  floatOfDecimal(rest.reduce<Decimal>((sum, value) => does(sum, decimalOf(toFloat(value))), decimalOf(first)))

const decimal = (does: Operation): TemplateFunction =>
  fn('any ...any', (first, ...rest) => decimals(does, toFloat(first), rest))

const extreme = (does: (...values: number[]) => number): TemplateFunction =>
  fn('any ...any', (first, ...rest) => does(toFloat(first), ...rest.map(toFloat)))

const nonZero = (value: bigint): bigint => {
  if (value === 0n) throw new Failure('runtime error: integer divide by zero')
  return value
}

/** As in sprig, half is rounded up for both signs. */
const rounded = (value: number, places: number, half: number): number => {
  const scale = 10 ** places
  const digit = scale * value
  return (digit - Math.trunc(digit) >= half ? Math.ceil(digit) : Math.floor(digit)) / scale
}

const steps = ({ budget }: Call, start: number, stop: number, step: number): bigint[] => {
  const isDown = stop < start
  if (isDown ? step >= 0 : step <= 0) return []
  const count = Math.ceil((stop - start) / step)
  budget.list(count)
  return Array.from({ length: count }, (_, index) => BigInt(start + index * step))
}

const ints = (items: readonly bigint[]): GoValue => typedList('int', items)

/** Parameters: END, or START END, or START STEP END. */
const sequence = (call: Call, params: readonly number[]): string => {
  const [first = 0, second = 0, third = 0] = params
  if (params.length === 1) return sequenceOf(call, { start: 1, end: first, step: first < 1 ? -1 : 1 })
  if (params.length === 2) return sequenceOf(call, { start: first, end: second, step: second < first ? -1 : 1 })
  if (params.length !== 3 || (third < first && second > 0)) return ''
  return sequenceOf(call, { start: first, end: third, step: second })
}

const sequenceOf = (call: Call, { start, end, step }: { start: number; end: number; step: number }): string =>
  steps(call, start, end + (end < start ? -1 : 1), step).join(' ')

const octal = /^[+-]?[0-7]+$/

const toDecimal = (value: GoValue): GoValue => {
  const text = formatted(value)
  if (!octal.test(text)) return int64(0n)
  const size = BigInt(`0o${text.replace(/^[+-]/, '')}`)
  const read = text.startsWith('-') ? -size : size
  return int64(BigInt.asIntN(64, read) === read ? read : 0n)
}

const biggest = folded((a, b) => (b > a ? b : a))

export const math: FunctionTable = {
  add: fn('...any', (...values) => int64(values.reduce<bigint>((sum, value) => sum + toInt64(value), 0n))),
  add1: fn('any', value => int64(toInt64(value) + 1n)),
  add1f: fn('any', value => decimals(plus, toFloat(value), [1])),
  addf: fn('...any', (...values) => decimals(plus, 0, values)),
  biggest,
  ceil: fn('any', value => Math.ceil(toFloat(value))),
  div: whole((a, b) => a / nonZero(b)),
  divf: decimal(dividedBy),
  float64: fn('any', toFloat),
  floor: fn('any', value => Math.floor(toFloat(value))),
  int: fn('any', toInt64),
  int64: fn('any', value => int64(toInt64(value))),
  max: biggest,
  maxf: extreme(Math.max),
  min: folded((a, b) => (b < a ? b : a)),
  minf: extreme(Math.min),
  mod: whole((a, b) => a % nonZero(b)),
  mul: folded((a, b) => BigInt.asIntN(64, a * b)),
  mulf: decimal(times),
  round: fn('any int ...float64', (value, places, half = 0.5) => rounded(toFloat(value), places, half)),
  seq: within('...int', (call, ...params) => sequence(call, params)),
  sub: whole((a, b) => a - b),
  subf: decimal(minus),
  atoi: fn('string', text => (/^[+-]?\d+$/.test(text) ? clamped(BigInt(text.replace(/^[+]/, ''))) : 0n)),
  toDecimal: fn('any', toDecimal),
  until: within('int', (call, count) => ints(steps(call, 0, count, count < 0 ? -1 : 1))),
  untilStep: within('int int int', (call, start, stop, step) => ints(steps(call, start, stop, step))),
}

/** Like strconv.Atoi in sprig: Atoi returns the nearest int together with an error, and sprig ignores the error. */
const clamped = (value: bigint): bigint => {
  const most = 2n ** 63n - 1n
  return value > most ? most : value < -most - 1n ? -most - 1n : value
}

const shift = (does: (value: bigint, by: bigint) => bigint): TemplateFunction =>
  fn('any any', (by, value) => {
    const amount = toInt64(by)
    if (amount < 0n) throw new Failure('runtime error: negative shift amount')
    return int64(does(toInt64(value), amount > 64n ? 64n : amount))
  })

const address = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/

const parseAddress = (text: string): bigint => {
  const parts = (address.exec(text) ?? []).slice(1).map(Number)
  if (parts.length !== 4 || parts.some(part => part > 255) || /(^|\.)0\d/.test(text)) {
    throw new Failure(`invalid IPv4 address: ${quote(text)}`)
  }
  return parts.reduce((value, part) => value * 256n + BigInt(part), 0n)
}

const formatAddress = (value: bigint): string => {
  if (value < 0n || value > 0xffffffffn) throw new Failure(`not an IPv4 address: ${value}`)
  return [24n, 16n, 8n, 0n].map(by => (value >> by) & 255n).join('.')
}

export const bits: FunctionTable = {
  bitwiseAnd: whole((a, b) => a & b),
  bitwiseOr: whole((a, b) => a | b),
  bitwiseXor: whole((a, b) => a ^ b),
  bitwiseShiftLeft: shift((value, by) => value << by),
  bitwiseShiftRight: shift((value, by) => value >> by),
  formatIPv4Address: fn('any', value => formatAddress(toInt64(value))),
  parseIPv4Address: fn('string', text => int64(parseAddress(text))),
}
