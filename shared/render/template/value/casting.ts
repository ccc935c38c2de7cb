// Conversions for functions that take several types: Go's spf13/cast, and sprig's strval.
import { formatted } from '../format/print.ts'
import { floatingPoint, integer } from '../syntax/literals.ts'
import { instantText } from '../time/layout.ts'
import { textOf } from './bytes.ts'
import { integerOf, isTrue } from './kinds.ts'
import { type GoValue, Instant, isMissing, Struct } from './value.ts'

/** A string stays; every other value becomes the text that printing shows. */
export const toText = (value: GoValue): string => {
  if (typeof value === 'string') return value
  if (value instanceof Uint8Array) return textOf(value)
  if (value instanceof Instant) return instantText(value)
  return value instanceof Struct && value.text !== undefined ? value.text : formatted(value)
}

const least = -(2n ** 63n)
const isInt64 = (value: bigint): boolean => value >= least && value < -least

/** 0 for a value that is not a number. */
export const toInt64 = (value: GoValue): bigint => {
  const whole = integerOf(value)
  if (whole !== undefined) return BigInt.asIntN(64, whole)
  if (typeof value === 'number') return truncated(value)
  if (typeof value === 'boolean') return value ? 1n : 0n
  const read = typeof value === 'string' ? integer(withoutZeroDecimal(value)) : undefined
  return read !== undefined && isInt64(read) ? read : 0n
}

/** As on the processor, the least int64 for a value out of range. */
const truncated = (value: number): bigint => {
  if (!Number.isFinite(value)) return least
  const whole = BigInt(Math.trunc(value))
  return isInt64(whole) ? whole : least
}

const withoutZeroDecimal = (text: string): string => text.replace(/\.0*$/, '')

/** 0 for a value that is not a number. */
export const toFloat = (value: GoValue): number => {
  if (typeof value === 'number') return value
  if (typeof value === 'string') return floatOf(value) ?? 0
  if (typeof value === 'boolean') return value ? 1 : 0
  return isMissing(value) ? 0 : Number(integerOf(value) ?? 0)
}

const special: Readonly<Record<string, number>> = {
  inf: Infinity,
  '+inf': Infinity,
  '-inf': -Infinity,
  infinity: Infinity,
  '+infinity': Infinity,
  '-infinity': -Infinity,
  nan: NaN,
}

const floatOf = (text: string): number | undefined => {
  const name = text.toLowerCase()
  return floatingPoint(text) ?? (Object.hasOwn(special, name) ? special[name] : undefined)
}

/** sprig's `empty`: nil, zero, and values without elements. A struct is never empty. */
export const isBlank = (value: GoValue): boolean => !isTrue(value)
