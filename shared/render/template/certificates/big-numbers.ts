// Arithmetic with numbers of many bits: conversion from and to bytes, powers and inverses modulo a number.
import { integer, sequence } from '../../../core/tls/der.ts'

export const fromBytes = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`)

export const toBytes = (value: bigint, length = 0): Uint8Array => {
  const digits = value.toString(16)
  return Buffer.from(digits.padStart(Math.max(length * 2, digits.length + (digits.length % 2)), '0'), 'hex')
}

export const powerModulo = (base: bigint, exponent: bigint, modulus: bigint): bigint => {
  let [result, factor, rest] = [1n, base % modulus, exponent]
  for (; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * factor) % modulus
    factor = (factor * factor) % modulus
  }
  return result
}

export const inverse = (value: bigint, modulus: bigint): bigint => {
  let [a, b, x, y] = [((value % modulus) + modulus) % modulus, modulus, 1n, 0n]
  while (a > 1n) {
    const quotient = b / a
    ;[a, b] = [b - quotient * a, a]
    ;[x, y] = [y - quotient * x, x]
  }
  return ((x % modulus) + modulus) % modulus
}

/** DER of DSA keys and of signatures: a sequence of non-negative integers. */
export const integersDer = (values: readonly bigint[]): Uint8Array =>
  sequence(...values.map(value => integer(toBytes(value))))
