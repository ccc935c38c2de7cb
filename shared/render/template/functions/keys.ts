// Makes private keys from drawn bytes, so that a revision always has the same keys; reads keys from PEM.
import { checkPrimeSync, createECDH, createPrivateKey, type KeyObject } from 'node:crypto'
import { rethrown } from '../../../core/decisions/reading.ts'
import { BoundedCache } from '../../../core/memory/bounded-cache.ts'
import { pem } from '../../../core/tls/x509.ts'
import { Failure } from '../run/environment.ts'
import type { Call } from '../value/value.ts'
import { fromBytes, integersDer, inverse, powerModulo, sieved, toBytes } from './big-numbers.ts'

const publicExponent = 65537n

const base64url = (value: bigint, length?: number): string => Buffer.from(toBytes(value, length)).toString('base64url')

/** The first prime at or above the drawn bytes. The two highest bits are set, so that the product of two primes has full length. */
const prime = ({ draw }: Call, bits: number): bigint => {
  const start = fromBytes(draw(bits / 8)) | (3n << BigInt(bits - 2)) | 1n
  const known = primes.get(start)
  if (known !== undefined) return known
  const found = primeFrom(start)
  primes.set(start, found)
  return found
}

const primeFrom = (start: bigint): bigint => {
  const isComposite = sieved(start)
  for (let index = 0; ; index++) {
    const candidate = start + 2n * BigInt(index)
    if (!isComposite[index] && candidate % publicExponent !== 1n && checkPrimeSync(candidate)) return candidate
  }
}

/** Primes by the start of their search. A revision always draws the same bytes, and a search takes most of a second. */
const primes = new BoundedCache<bigint, bigint>(256)

/** Whether the run needs a lookup and is therefore repeated. Such a run uses quick keys instead of searching for primes. */
const isThrownAway = ({ environment }: Call): boolean => environment.needs.size > 0

export const rsaKey = (call: Call, bits: number): KeyObject => {
  if (isThrownAway(call)) return p256Key(call)
  const p = prime(call, bits / 2)
  const q = prime(call, bits / 2)
  if (p === q) return rsaKey(call, bits)
  const d = inverse(publicExponent, (p - 1n) * (q - 1n))
  const parts = { n: p * q, e: publicExponent, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) }
  const jwk = Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, base64url(value)]))
  return createPrivateKey({ key: { kty: 'RSA', ...jwk }, format: 'jwk' })
}

const p256Order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

const p256Key = ({ draw }: Call): KeyObject => {
  const d = (fromBytes(draw(40)) % (p256Order - 1n)) + 1n
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(toBytes(d, 32))
  const point = curve.getPublicKey()
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map(part => part.toString('base64url'))
  return createPrivateKey({ key: { kty: 'EC', crv: 'P-256', d: base64url(d, 32), x, y }, format: 'jwk' })
}

/** First bytes of the PKCS #8 of an Ed25519 key; the 32 bytes of the key follow. */
const ed25519Head = Buffer.from('302e020100300506032b657004220420', 'hex')

const ed25519Key = ({ draw }: Call): KeyObject =>
  createPrivateKey({ key: Buffer.concat([ed25519Head, draw(32)]), format: 'der', type: 'pkcs8' })

const dsaPem = (call: Call): string => {
  if (isThrownAway(call)) return keyPem(p256Key(call))
  const q = prime(call, 256)
  const p = dsaModulus(call, q)
  const g = powerModulo(2n, (p - 1n) / q, p)
  const x = (fromBytes(call.draw(40)) % (q - 1n)) + 1n
  return pem('DSA PRIVATE KEY', integersDer([0n, p, q, g, powerModulo(g, x, p), x]))
}

const modulusBits = 2048

/** A prime that is 1 modulo q. */
const dsaModulus = ({ draw }: Call, q: bigint): bigint => {
  const start = fromBytes(draw(modulusBits / 8)) | (1n << BigInt(modulusBits - 1))
  let candidate = start - (start % (2n * q)) + 1n
  while (candidate < 1n << BigInt(modulusBits - 1) || !checkPrimeSync(candidate)) candidate += 2n * q
  return candidate
}

export const keyPem = (key: KeyObject): string => {
  const type = key.asymmetricKeyType === 'rsa' ? 'pkcs1' : key.asymmetricKeyType === 'ec' ? 'sec1' : 'pkcs8'
  return String(key.export({ format: 'pem', type }))
}

const kinds: Readonly<Record<string, (call: Call) => string>> = {
  '': call => keyPem(rsaKey(call, 4096)),
  rsa: call => keyPem(rsaKey(call, 4096)),
  dsa: dsaPem,
  ecdsa: call => keyPem(p256Key(call)),
  ed25519: call => keyPem(ed25519Key(call)),
}

export const newKeyPem = (call: Call, kind: string): string =>
  (Object.hasOwn(kinds, kind) ? kinds[kind]?.(call) : undefined) ?? `Unknown type ${kind}`

export const readKey = (text: string): KeyObject => {
  const label = /-----BEGIN ([A-Z0-9 ]+)-----/.exec(text)?.[1]
  if (label === undefined) throw new Failure('no PEM data in input')
  if (!/^(?:.* )?PRIVATE KEY$/.test(label)) throw new Failure(`no private key data in PEM block of type ${label}`)
  if (label === 'DSA PRIVATE KEY') throw new Failure('x509: unsupported public key type: *dsa.PublicKey')
  return rethrown(
    Error,
    () => createPrivateKey(text),
    ({ message }) => new Failure(`decoding PEM: ${message}`),
  )
}
