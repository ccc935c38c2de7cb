// Writes X.509 certificates (RFC 5280). The caller brings keys, times and serial numbers.
import { createHash, createPublicKey, type KeyObject, sign, type X509Certificate } from 'node:crypto'
import { addressBytes } from '../network/cidr.ts'
import {
  bits,
  derChildren,
  derContent,
  explicit,
  integer,
  objectId,
  octets,
  printable,
  sequence,
  set,
  tlv,
  utf8,
  x509Time,
  yes,
} from './der.ts'

export type CertificateParts = {
  /** `[['O', 'system:masters'], ['CN', 'admin']]` */
  readonly subject: readonly (readonly [keyof typeof attributes, string])[]
  /** Texts are host names, bytes are addresses. */
  readonly names?: readonly (string | Uint8Array)[]
  readonly usages: readonly (keyof typeof usageBits)[]
  readonly purposes?: readonly (keyof typeof purposeIds)[]
  /** Set for an authority. `depth`: how many authorities may be below it; any number when absent. */
  readonly authority?: { readonly depth?: number }
  /** The key, or its public part. */
  readonly key: KeyObject
  /** undefined: the certificate signs itself. */
  readonly issuer?: X509Certificate
  readonly signer: Signer
  readonly serial: Uint8Array
  readonly notBefore: Date
  readonly notAfter: Date
}

export type Signer = { readonly algorithm: Uint8Array; sign(bytes: Uint8Array): Uint8Array }

const attributes = { CN: '2.5.4.3', O: '2.5.4.10' } as const
const usageBits = { digitalSignature: 0, keyEncipherment: 2, keyCertSign: 5, cRLSign: 6 } as const
const purposeIds = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const
const keyIdentifier = '2.5.29.14'

export const certificatePem = (parts: CertificateParts): string => {
  const { issuer, signer, key } = parts
  const subject = nameDer(parts.subject)
  const spki = (key.type === 'public' ? key : createPublicKey(key)).export({ format: 'der', type: 'spki' })
  const body = sequence(
    explicit(0, integer(Uint8Array.of(2))),
    integer(parts.serial),
    signer.algorithm,
    issuer ? subjectOf(issuer) : subject,
    sequence(x509Time(parts.notBefore), x509Time(parts.notAfter)),
    subject,
    spki,
    explicit(3, sequence(...extensions(parts, spki))),
  )
  return pem('CERTIFICATE', sequence(body, signer.algorithm, bits(signer.sign(body))))
}

export const pem = (label: string, der: Uint8Array): string => {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}

const nameDer = (parts: CertificateParts['subject']): Buffer =>
  sequence(...parts.map(([attribute, text]) => set(sequence(objectId(attributes[attribute]), textDer(text)))))

const textDer = (text: string): Buffer => (/^[A-Za-z0-9 '()+,\-./:=?*&]*$/.test(text) ? printable(text) : utf8(text))

const extensions = (
  { subject, usages, purposes = [], authority, issuer, names = [] }: CertificateParts,
  spki: Buffer,
) => {
  const places = usages.map(usage => usageBits[usage])
  const usageByte = places.reduce<number>((sum, place) => sum | (0x80 >> place), 0)
  const depth = authority?.depth === undefined ? [] : [integer(Uint8Array.of(authority.depth))]
  const issuerKey = issuer && keyIdentifierOf(issuer)
  return [
    extension('2.5.29.15', bits(Uint8Array.of(usageByte), 7 - Math.max(...places)), true),
    ...(purposes.length > 0
      ? [extension('2.5.29.37', sequence(...purposes.map(purpose => objectId(purposeIds[purpose]))))]
      : []),
    extension('2.5.29.19', authority ? sequence(yes, ...depth) : sequence(), true),
    ...(authority
      ? [extension(keyIdentifier, octets(createHash('sha256').update(spki).digest().subarray(0, 20)))]
      : []),
    ...(issuerKey ? [extension('2.5.29.35', sequence(tlv(0x80, issuerKey)))] : []),
    // Without a subject, the certificate has no other names, and strict clients require the extension to be critical.
    ...(names.length > 0
      ? [extension('2.5.29.17', sequence(...names.map(alternativeName)), subject.length === 0)]
      : []),
  ]
}

const extension = (id: string, value: Uint8Array, isCritical = false): Buffer =>
  sequence(objectId(id), ...(isCritical ? [yes] : []), octets(value))

const alternativeName = (name: string | Uint8Array): Buffer =>
  typeof name === 'string' ? tlv(0x82, Buffer.from(name)) : tlv(0x87, name)

/** Converts each name that is an IP address to bytes. */
export const withAddresses = (names: readonly string[]): (string | Uint8Array)[] =>
  names.map(name => addressBytes(name) ?? name)

const fieldsOf = (certificate: X509Certificate): Buffer[] => derChildren(derChildren(certificate.raw)[0] ?? sequence())

/** A version 1 certificate has no version field, so its subject is one field earlier. */
const subjectOf = (certificate: X509Certificate): Buffer => {
  const fields = fieldsOf(certificate)
  return fields[fields[0]?.[0] === 0xa0 ? 5 : 4] ?? sequence()
}

const keyIdentifierOf = (certificate: X509Certificate): Buffer | undefined => {
  const lists = fieldsOf(certificate).filter(([tag]) => tag === 0xa3)
  const found = lists.flatMap(derChildren).flatMap(derChildren).map(derChildren)
  const value = found.find(([id]) => id?.equals(objectId(keyIdentifier)))?.at(-1)
  return value && derContent(derContent(value))
}

const ecdsa: Readonly<Record<string, readonly [digest: string, id: string]>> = {
  prime256v1: ['sha256', '1.2.840.10045.4.3.2'],
  secp384r1: ['sha384', '1.2.840.10045.4.3.3'],
  secp521r1: ['sha512', '1.2.840.10045.4.3.4'],
}

type Algorithm = { readonly digest: string | null; readonly algorithm: Uint8Array }

/** undefined for keys other than RSA, Ed25519 and keys of the three usual curves. */
export const algorithmOf = (key: KeyObject): Algorithm | undefined => {
  if (key.asymmetricKeyType === 'rsa')
    return { digest: 'sha256', algorithm: sequence(objectId('1.2.840.113549.1.1.11'), tlv(0x05)) }
  if (key.asymmetricKeyType === 'ed25519') return { digest: null, algorithm: sequence(objectId('1.3.101.112')) }
  const [digest, id] = ecdsa[key.asymmetricKeyDetails?.namedCurve ?? ''] ?? []
  return digest && id ? { digest, algorithm: sequence(objectId(id)) } : undefined
}

export const signerOf = (key: KeyObject): Signer => {
  const known = algorithmOf(key)
  if (!known) throw new TypeError('a certificate authority must have an RSA, Ed25519 or elliptic-curve key')
  return { algorithm: known.algorithm, sign: bytes => sign(known.digest, bytes, key) }
}
