// Makes X.509 certificates as sprig does: for servers and clients, signed by an authority or by themselves.
import { createECDH, createHash, createHmac, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { AsnConvert, OctetString } from '@peculiar/asn1-schema'
import * as x509 from '@peculiar/asn1-x509'
import { AlgorithmIdentifier } from '@peculiar/asn1-x509'
import { Failure } from '../run/failure.ts'
import { fromBytes, integersDer, inverse, toBytes } from './big-numbers.ts'

export type Subject = {
  readonly name: string
  readonly addresses: readonly Uint8Array[]
  readonly hosts: readonly string[]
  readonly isAuthority: boolean
}

type Validity = { readonly from: Date; readonly days: number }

/** `certificate` is undefined for a certificate that signs itself. */
export type Issuer = { readonly key: KeyObject; readonly certificate: x509.Certificate | undefined }

const millisecondsPerDay = 86_400_000
const serialBytes = 16

export const certificateDer = (
  subject: Subject,
  key: KeyObject,
  made: { readonly issuer: Issuer; readonly validity: Validity; readonly serial: Uint8Array },
): Uint8Array => {
  const { issuer, validity, serial } = made
  const signer = signerOf(issuer.key)
  const name = commonName(subject.name)
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' })
  const body = new x509.TBSCertificate({
    version: x509.Version.v3,
    serialNumber: buffer(serialOf(serial)),
    signature: signer.algorithm,
    issuer: issuer.certificate?.tbsCertificate.subject ?? name,
    validity: new x509.Validity({
      notBefore: validity.from,
      notAfter: new Date(validity.from.getTime() + validity.days * millisecondsPerDay),
    }),
    subject: name,
    subjectPublicKeyInfo: AsnConvert.parse(publicKey, x509.SubjectPublicKeyInfo),
    extensions: new x509.Extensions(extensions(subject, publicKey, issuer.certificate)),
  })
  const bytes = new Uint8Array(AsnConvert.serialize(body))
  const certificate = new x509.Certificate({
    tbsCertificate: body,
    signatureAlgorithm: signer.algorithm,
    signatureValue: buffer(signer.sign(bytes)),
  })
  return new Uint8Array(AsnConvert.serialize(certificate))
}

const buffer = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer

/** Positive and without leading zeros, as DER demands. */
const serialOf = (drawn: Uint8Array): Uint8Array => {
  const bytes = toBytes(fromBytes(drawn.subarray(0, serialBytes)))
  return (bytes[0] ?? 0) >= 128 ? Buffer.concat([Uint8Array.of(0), bytes]) : bytes
}

const commonNameId = '2.5.4.3'

const commonName = (name: string): x509.Name => {
  if (name === '') return new x509.Name()
  const isPrintable = /^[A-Za-z0-9 '()+,\-./:=?*&]*$/.test(name)
  const value = new x509.AttributeValue(isPrintable ? { printableString: name } : { utf8String: name })
  return new x509.Name([
    new x509.RelativeDistinguishedName([new x509.AttributeTypeAndValue({ type: commonNameId, value })]),
  ])
}

type Extend = readonly [id: string, isCritical: boolean, value: unknown]

const extensions = (subject: Subject, publicKey: Uint8Array, parent: x509.Certificate | undefined): x509.Extension[] =>
  [...usages(subject), ...identifiers(subject, publicKey, parent), ...names(subject)].map(
    ([extnID, critical, value]) =>
      new x509.Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) }),
  )

const { keyEncipherment, digitalSignature, keyCertSign } = x509.KeyUsageFlags

const usages = ({ isAuthority }: Subject): Extend[] => [
  [x509.id_ce_keyUsage, true, new x509.KeyUsage(keyEncipherment | digitalSignature | (isAuthority ? keyCertSign : 0))],
  [x509.id_ce_extKeyUsage, false, new x509.ExtendedKeyUsage([x509.id_kp_serverAuth, x509.id_kp_clientAuth])],
  [x509.id_ce_basicConstraints, true, new x509.BasicConstraints({ cA: isAuthority })],
]

const identifiers = (subject: Subject, publicKey: Uint8Array, parent: x509.Certificate | undefined): Extend[] => {
  const own = createHash('sha256').update(publicKey).digest().subarray(0, 20)
  const ofParent = parent && subjectKeyOf(parent)
  return [
    ...(subject.isAuthority
      ? [[x509.id_ce_subjectKeyIdentifier, false, new x509.SubjectKeyIdentifier(buffer(own))] as const]
      : []),
    ...(ofParent
      ? [
          [
            x509.id_ce_authorityKeyIdentifier,
            false,
            new x509.AuthorityKeyIdentifier({ keyIdentifier: ofParent }),
          ] as const,
        ]
      : []),
  ]
}

const subjectKeyOf = (certificate: x509.Certificate): x509.KeyIdentifier | undefined => {
  const found = certificate.tbsCertificate.extensions?.find(({ extnID }) => extnID === x509.id_ce_subjectKeyIdentifier)
  return found && new x509.KeyIdentifier(AsnConvert.parse(found.extnValue, x509.SubjectKeyIdentifier).buffer)
}

const names = ({ addresses, hosts }: Subject): Extend[] => {
  const all = [
    ...hosts.map(dNSName => new x509.GeneralName({ dNSName })),
    ...addresses.map(bytes => new x509.GeneralName({ iPAddress: addressText(bytes) })),
  ]
  return all.length === 0 ? [] : [[x509.id_ce_subjectAltName, false, new x509.SubjectAlternativeName(all)]]
}

/** The text that the library reads: four numbers, or eight groups of four digits. */
const addressText = (bytes: Uint8Array): string =>
  bytes.length === 4 ? bytes.join('.') : (Buffer.from(bytes).toString('hex').match(/.{4}/g) ?? []).join(':')

export const readCertificate = (der: Uint8Array): x509.Certificate => AsnConvert.parse(der, x509.Certificate)

/** Signs deterministically. RSA and Ed25519 always do; the nonce of ECDSA comes from a hash of key and message instead of from random bytes. */
type Signer = {
  readonly algorithm: AlgorithmIdentifier
  readonly sign: (bytes: Uint8Array) => Uint8Array
}

type Curve = { readonly digest: string; readonly oid: string; readonly order: bigint }

const curves: Readonly<Record<string, Curve>> = {
  prime256v1: {
    digest: 'sha256',
    oid: '1.2.840.10045.4.3.2',
    order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  },
  secp384r1: {
    digest: 'sha384',
    oid: '1.2.840.10045.4.3.3',
    order: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  },
  secp521r1: {
    digest: 'sha512',
    oid: '1.2.840.10045.4.3.4',
    order: BigInt(
      '0x01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409',
    ),
  },
}

const sha256WithRsa = '1.2.840.113549.1.1.11'
const ed25519 = '1.3.101.112'
/** An explicit NULL: the parameters in RSA's algorithm identifier. */
const noParameters = Uint8Array.of(5, 0).buffer

const signerOf = (key: KeyObject): Signer => {
  if (key.asymmetricKeyType === 'rsa') {
    return {
      algorithm: new AlgorithmIdentifier({ algorithm: sha256WithRsa, parameters: noParameters }),
      sign: bytes => sign('sha256', bytes, key),
    }
  }
  if (key.asymmetricKeyType === 'ed25519') {
    return { algorithm: new AlgorithmIdentifier({ algorithm: ed25519 }), sign: bytes => sign(null, bytes, key) }
  }
  const name = key.asymmetricKeyDetails?.namedCurve ?? ''
  const curve = Object.hasOwn(curves, name) ? curves[name] : undefined
  if (curve === undefined)
    throw new Failure('error creating certificate: x509: only RSA, ECDSA and Ed25519 keys supported')
  return {
    algorithm: new AlgorithmIdentifier({ algorithm: curve.oid }),
    sign: bytes => ecdsa({ name, ...curve }, key, bytes),
  }
}

const ecdsa = ({ name, digest, order }: Curve & { name: string }, key: KeyObject, bytes: Uint8Array): Uint8Array => {
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

/** More bytes than the order of any curve, so that all remainders are almost equally likely. */
const stretched = (secret: Uint8Array, hash: Uint8Array): Uint8Array =>
  Buffer.concat([0, 1].map(part => createHmac('sha512', secret).update(hash).update(Uint8Array.of(part)).digest()))
