// Functions that make keys and certificates as sprig does. They use bytes of `draw`, not random bytes, and the start of the revision as time.
import { createECDH, createHash, createHmac, type KeyObject, X509Certificate } from 'node:crypto'
import { rethrown } from '../../../core/decisions/reading.ts'
import { addressBytes } from '../../../core/network/cidr.ts'
import { algorithmOf, certificatePem, type Signer, signerOf } from '../../../core/tls/x509.ts'
import { formatted } from '../format/print.ts'
import { Failure } from '../run/environment.ts'
import { textOf } from '../value/bytes.ts'
import { type FunctionTable, fn, within } from '../value/function.ts'
import { type Call, type GoValue, mapOf, Struct } from '../value/value.ts'
import { fromBytes, integersDer, inverse, toBytes } from './big-numbers.ts'
import { keyPem, newKeyPem, readKey, rsaKey } from './keys.ts'
import { bytesFromBase64 } from './strings.ts'

const keyBits = 2048

const certificate = (cert: string, key: string): Struct =>
  new Struct('sprig.certificate', {
    fields: mapOf([
      ['Cert', cert],
      ['Key', key],
    ]),
  })

const field = (from: Struct, name: 'Cert' | 'Key'): string => String(from.fields.get(name) ?? '')

const givenKey = (text: string, what: string): KeyObject =>
  rethrown(
    Failure,
    () => readKey(text),
    ({ message }) => new Failure(`${what}: ${message}`),
  )

type Wanted = { readonly subject: Subject; readonly days: number; readonly key: KeyObject }

const made = (call: Call, { subject, days, key }: Wanted, issuer: Issuer): Struct => {
  const validity = { from: new Date(Math.floor(call.environment.context.now.getTime() / 1000) * 1000), days }
  const cert = newCertificate(subject, key, { issuer, validity, serial: call.draw(16) })
  return certificate(cert, keyPem(key))
}

const selfSigned = (call: Call, wanted: Wanted): Struct =>
  made(call, wanted, { key: wanted.key, certificate: undefined })

const signed = (call: Call, wanted: Wanted, authority: Struct): Struct => {
  const certificate = readCertificate(field(authority, 'Cert'))
  const key = givenKey(field(authority, 'Key'), 'error parsing private key')
  return made(call, wanted, { key, certificate })
}

const readCertificate = (text: string): X509Certificate => {
  if (!/-----BEGIN [^-]+-----/.test(text)) throw new Failure('unable to decode certificate')
  return rethrown(
    Error,
    () => new X509Certificate(text),
    ({ message }) => new Failure(`error parsing certificate: decodedCert.Bytes: ${message}`),
  )
}

const authority = (name: string): Subject => ({ name, names: [], isAuthority: true })

const server = (name: string, addresses: readonly GoValue[], hosts: readonly GoValue[]): Subject => {
  const known = addresses.map(addressOf)
  return { name, names: [...hosts.map(hostOf), ...known], isAuthority: false }
}

const addressOf = (value: GoValue): Uint8Array => {
  if (typeof value !== 'string') throw new Failure(`error parsing ip: ${formatted(value)} is not a string`)
  const bytes = addressBytes(value)
  if (bytes === undefined) throw new Failure(`error parsing ip: ${value}`)
  return bytes
}

const hostOf = (value: GoValue): string => {
  if (typeof value === 'string') return value
  throw new Failure(`error processing alternate dns name: ${formatted(value)} is not a string`)
}

const custom = (certText: string, keyText: string): Struct => {
  const [cert, key] = [decoded(certText, 'certificate'), decoded(keyText, 'private key')]
  readCertificate(cert)
  givenKey(key, 'error parsing private key')
  return certificate(cert, key)
}

const decoded = (text: string, what: string): string =>
  rethrown(
    Failure,
    () => textOf(bytesFromBase64(text)),
    () => new Failure(`unable to decode base64 ${what}`),
  )

const freshKey = (call: Call): KeyObject => rsaKey(call, keyBits)
const pemKey = (text: string): KeyObject => givenKey(text, 'parsing private key')

export const certificates: FunctionTable = {
  buildCustomCert: fn('string string', custom),
  genCA: within('string int', (call, name, days) =>
    selfSigned(call, { subject: authority(name), days, key: freshKey(call) }),
  ),
  genCAWithKey: within('string int string', (call, name, days, key) =>
    selfSigned(call, { subject: authority(name), days, key: pemKey(key) }),
  ),
  genPrivateKey: within('string', newKeyPem),
  genSelfSignedCert: within('string list list int', (call, name, ips, hosts, days) =>
    selfSigned(call, { subject: server(name, ips, hosts), days, key: freshKey(call) }),
  ),
  genSelfSignedCertWithKey: within('string list list int string', (call, name, ips, hosts, days, key) =>
    selfSigned(call, { subject: server(name, ips, hosts), days, key: pemKey(key) }),
  ),
  genSignedCert: within('string list list int certificate', (call, name, ips, hosts, days, signer) =>
    signed(call, { subject: server(name, ips, hosts), days, key: freshKey(call) }, signer),
  ),
  genSignedCertWithKey: within('string list list int certificate string', (call, name, ips, hosts, days, signer, key) =>
    signed(call, { subject: server(name, ips, hosts), days, key: pemKey(key) }, signer),
  ),
}

type Subject = {
  readonly name: string
  /** Texts are host names, bytes are addresses. */
  readonly names: readonly (string | Uint8Array)[]
  readonly isAuthority: boolean
}

type Validity = { readonly from: Date; readonly days: number }

/** `certificate` is undefined for a certificate that signs itself. */
type Issuer = { readonly key: KeyObject; readonly certificate: X509Certificate | undefined }

const millisecondsPerDay = 86_400_000
const serialBytes = 16

const newCertificate = (
  { name, names, isAuthority }: Subject,
  key: KeyObject,
  made: { readonly issuer: Issuer; readonly validity: Validity; readonly serial: Uint8Array },
): string => {
  const { issuer, validity, serial } = made
  return certificatePem({
    subject: name === '' ? [] : [['CN', name]],
    names,
    usages: ['keyEncipherment', 'digitalSignature', ...(isAuthority ? (['keyCertSign'] as const) : [])],
    purposes: ['server', 'client'],
    ...(isAuthority && { authority: {} }),
    key,
    issuer: issuer.certificate,
    signer: repeatableSigner(issuer.key),
    serial: serial.subarray(0, serialBytes),
    notBefore: validity.from,
    notAfter: new Date(validity.from.getTime() + validity.days * millisecondsPerDay),
  })
}

/** The orders of the curves. */
const orders: Readonly<Record<string, bigint>> = {
  prime256v1: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  secp384r1: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  secp521r1: BigInt(
    '0x01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409',
  ),
}

/** Signs deterministically. RSA and Ed25519 are always deterministic; ECDSA gets its nonce from a hash of key and message. */
const repeatableSigner = (key: KeyObject): Signer => {
  const { digest, algorithm } = algorithmOf(key) ?? {}
  if (digest === undefined || !algorithm)
    throw new Failure('error creating certificate: x509: only RSA, ECDSA and Ed25519 keys supported')
  const name = key.asymmetricKeyDetails?.namedCurve ?? ''
  const order = Object.hasOwn(orders, name) ? orders[name] : undefined
  if (digest === null || order === undefined) return signerOf(key)
  return { algorithm, sign: bytes => ecdsa({ name, digest, order }, key, bytes) }
}

type Curve = { readonly name: string; readonly digest: string; readonly order: bigint }

const ecdsa = ({ name, digest, order }: Curve, key: KeyObject, bytes: Uint8Array): Uint8Array => {
  const length = toBytes(order).length
  const secret = fromBytes(Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url'))
  const hash = createHash(digest).update(bytes).digest()
  const nonce = (fromBytes(stretched(toBytes(secret, length), hash)) % (order - 1n)) + 1n
  const point = createECDH(name)
  point.setPrivateKey(toBytes(nonce, length))
  const r = fromBytes(point.getPublicKey().subarray(1, 1 + length)) % order
  const s = (inverse(nonce, order) * (fromBytes(hash) + r * secret)) % order
  return integersDer([r, s])
}

/** Returns more bytes than the order of any curve has, so that all remainders are almost equally likely. */
const stretched = (secret: Uint8Array, hash: Uint8Array): Uint8Array =>
  Buffer.concat([0, 1].map(part => createHmac('sha512', secret).update(hash).update(Uint8Array.of(part)).digest()))
