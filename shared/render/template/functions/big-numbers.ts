// Arithmetic with numbers of many bits, and a sieve for the search for primes.
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

/** Marks composite numbers among `start`, `start + 2`, and so on. `start` is odd and has more than 16 bits. */
export const sieved = (start: bigint): Uint8Array => {
  const isComposite = new Uint8Array(sievedCount)
  smallPrimes ??= oddPrimes()
  for (const prime of smallPrimes) {
    const above = prime - Number(start % BigInt(prime))
    const firstIndex = (above % 2 === 0 ? above : above + prime) / 2
    for (let index = firstIndex % prime; index < sievedCount; index += prime) isComposite[index] = 1
  }
  return isComposite
}

/** A search of 2,048 bits takes 710 odd numbers on average. */
const sievedCount = 4_096

let smallPrimes: readonly number[] | undefined

const oddPrimes = (): number[] => {
  const found: number[] = []
  const isComposite = new Uint8Array(2 ** 16)
  for (let prime = 3; prime < isComposite.length; prime += 2) {
    if (isComposite[prime]) continue
    found.push(prime)
    for (let multiple = prime * prime; multiple < isComposite.length; multiple += 2 * prime) isComposite[multiple] = 1
  }
  return found
}
