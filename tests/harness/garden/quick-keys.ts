// RSA keys for tests that are not about making keys. Finding primes takes seconds, so a process that imports this file finds few primes, and each two
// of them make a key. Every key is different, and all have 2048 bits, whatever size was asked for. They are safe for nothing else: who knows two keys
// can find their common prime.
import { generatePrimeSync, webcrypto } from 'node:crypto'

const primeBits = 1024
const exponent = 65_537n

const primes: bigint[] = []

const nextPrime = (): bigint => {
  const prime = generatePrimeSync(primeBits, { bigint: true })
  return primes.includes(prime) || prime % exponent === 1n ? nextPrime() : prime
}

/** Each prime with each prime before it. */
function* pairs(): Generator<readonly [bigint, bigint], never> {
  for (;;) {
    const prime = nextPrime()
    for (const before of primes) yield [prime, before]
    primes.push(prime)
  }
}

const unused = pairs()

/** The modular inverse: `value` times this number leaves the remainder 1. */
const inverse = (value: bigint, modulus: bigint): bigint => {
  let [rest, last, factor, before] = [value % modulus, modulus, 1n, 0n]
  while (rest > 1n) {
    const quotient = last / rest
    ;[last, rest] = [rest, last % rest]
    ;[before, factor] = [factor, before - quotient * factor]
  }
  return ((factor % modulus) + modulus) % modulus
}

const text = (value: bigint): string => {
  const hex = value.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url')
}

const newKey = (): Record<'n' | 'e' | 'd' | 'p' | 'q' | 'dp' | 'dq' | 'qi', string> => {
  const [p, q] = unused.next().value
  const d = inverse(exponent, (p - 1n) * (q - 1n))
  const numbers = { n: p * q, e: exponent, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) }
  const texts = Object.entries(numbers).map(([name, value]) => [name, text(value)])
  return Object.fromEntries(texts)
}

type Algorithm = { readonly name: string; readonly hash: string }
type Uses = readonly webcrypto.KeyUsage[]

const generate = webcrypto.subtle.generateKey.bind(webcrypto.subtle) as (
  ...args: unknown[]
) => Promise<webcrypto.CryptoKeyPair>

/** Other algorithms are fast and stay as they are. */
const quickly = async (algorithm: Algorithm, isOpen: boolean, uses: Uses): Promise<webcrypto.CryptoKeyPair> => {
  if (!algorithm.name.startsWith('RSA')) return generate(algorithm, isOpen, uses)
  const { n, e, ...secret } = newKey()
  const half = (key: object, own: Uses, isOwnOpen: boolean) =>
    webcrypto.subtle.importKey('jwk', { kty: 'RSA', n, e, ...key }, algorithm, isOwnOpen, [...own])
  const [privateKey, publicKey] = await Promise.all([
    half(
      secret,
      uses.filter(use => ['sign', 'decrypt', 'unwrapKey'].includes(use)),
      isOpen,
    ),
    half(
      {},
      uses.filter(use => ['verify', 'encrypt', 'wrapKey'].includes(use)),
      true,
    ),
  ])
  return { privateKey, publicKey }
}

Object.assign(webcrypto.subtle, { generateKey: quickly })
