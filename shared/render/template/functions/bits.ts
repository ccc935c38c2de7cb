// Functions beyond Helm's on bits and IPv4 addresses. An address is the number of its four bytes.
import { quote } from '../format/quote.ts'
import { Failure } from '../run/failure.ts'
import { toInt64 } from '../value/casting.ts'
import { type FunctionTable, fn } from '../value/signature.ts'
import type { TemplateFunction } from '../value/value.ts'
import { int64 } from '../value/value.ts'

const binary = (does: (a: bigint, b: bigint) => bigint): TemplateFunction =>
  fn('any any', (a, b) => int64(does(toInt64(a), toInt64(b))))

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
  bitwiseAnd: binary((a, b) => a & b),
  bitwiseOr: binary((a, b) => a | b),
  bitwiseXor: binary((a, b) => a ^ b),
  bitwiseShiftLeft: shift((value, by) => value << by),
  bitwiseShiftRight: shift((value, by) => value >> by),
  formatIPv4Address: fn('any', value => formatAddress(toInt64(value))),
  parseIPv4Address: fn('string', text => int64(parseAddress(text))),
}
