// Makes X.509 certificates as sprig does: for servers and clients, signed by an authority or by themselves.
import { createECDH, createHash, createHmac, type KeyObject, type X509Certificate } from 'node:crypto'
import { algorithmOf, certificatePem, type Signer, signerOf } from '../../../core/tls/x509.ts'
import { Failure } from '../run/failure.ts'
import { fromBytes, integersDer, inverse, toBytes } from './big-numbers.ts'

export type Subject = {
  readonly name: string
  /** Texts are host names, bytes are addresses. */
  readonly names: readonly (string | Uint8Array)[]
  readonly isAuthority: boolean
}

type Validity = { readonly from: Date; readonly days: number }

/** `certificate` is undefined for a certificate that signs itself. */
export type Issuer = { readonly key: KeyObject; readonly certificate: X509Certificate | undefined }

const millisecondsPerDay = 86_400_000
const serialBytes = 16

export const newCertificate = (
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
