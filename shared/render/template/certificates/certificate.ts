// X.509 certificates as sprig makes them: for servers and clients, signed by an authority or by themselves.
import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { AsnConvert, OctetString } from '@peculiar/asn1-schema'
import * as x509 from '@peculiar/asn1-x509'
import { fromBytes, toBytes } from './big-numbers.ts'
import { signerOf } from './signature.ts'

export type Subject = {
  readonly name: string
  readonly addresses: readonly Uint8Array[]
  readonly hosts: readonly string[]
  readonly isAuthority: boolean
}

type Validity = { readonly from: Date; readonly days: number }

/** A certificate that signs itself has no issuer's certificate. */
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

/** As the library reads it: four numbers, or eight groups of four digits. */
const addressText = (bytes: Uint8Array): string =>
  bytes.length === 4 ? bytes.join('.') : (Buffer.from(bytes).toString('hex').match(/.{4}/g) ?? []).join(':')

export const readCertificate = (der: Uint8Array): x509.Certificate => AsnConvert.parse(der, x509.Certificate)
