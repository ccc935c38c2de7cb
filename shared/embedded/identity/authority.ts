// The cluster's certificate authority. A P-256 key signs the serving certificate and client certificates; kubeconfigs contain both. Uses node:crypto only,
// because a start must take far less than 300 ms.
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'
import { stringify } from 'yaml'
import {
  bits,
  explicit,
  integer,
  objectId,
  octets,
  sequence,
  set,
  tlv,
  utf8,
  x509Time,
  yes,
} from '../../core/tls/der.ts'

export type Credentials = { cert: string; key: string }

export type Subject = { commonName: string; organizations?: readonly string[] }

export type Authority = {
  readonly caCert: string
  readonly caData: string
  serving(hosts: readonly string[]): Credentials
  client(subject: Subject, days?: number): Credentials
  /** Signs a certificate for a key that somebody else holds. `spki` is in DER. */
  sign(spki: Uint8Array, subject: Subject, days: number): string
  readonly saved: Credentials
}

const oid = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  basicConstraints: '2.5.29.19',
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  alternativeNames: '2.5.29.17',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
}

const caSubject: Subject = { commonName: 'embedded-ca' }
const yearDays = 365

export const authority = (saved?: Credentials): Authority => {
  const caKey = saved ? createPrivateKey(saved.key) : newKey()
  const caCert =
    saved?.cert ??
    certificate({ spki: spkiOf(caKey), subject: caSubject, caKey, days: 10 * yearDays, extensions: caExtensions() })
  const issue = (subject: Subject, days: number, extensions: Buffer[]): Credentials => {
    const key = newKey()
    return { key: pemOf(key), cert: certificate({ spki: spkiOf(key), subject, caKey, days, extensions }) }
  }
  return {
    caCert,
    caData: Buffer.from(caCert).toString('base64'),
    serving: hosts => issue({ commonName: 'kube-apiserver' }, yearDays, servingExtensions(hosts)),
    client: (subject, days = yearDays) => issue(subject, days, clientExtensions()),
    sign: (spki, subject, days) => certificate({ spki, subject, caKey, days, extensions: clientExtensions() }),
    saved: { cert: caCert, key: pemOf(caKey) },
  }
}

const newKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

const spkiOf = (key: KeyObject): Uint8Array => {
  const jwk = key.export({ format: 'jwk' })
  const point = Buffer.concat([
    Buffer.from([4]),
    Buffer.from(jwk.x ?? '', 'base64url'),
    Buffer.from(jwk.y ?? '', 'base64url'),
  ])
  return sequence(sequence(objectId('1.2.840.10045.2.1'), objectId('1.2.840.10045.3.1.7')), bits(point))
}

type CertificateParts = { spki: Uint8Array; subject: Subject; caKey: KeyObject; days: number; extensions: Buffer[] }

const certificate = ({ spki, subject, caKey, days, extensions }: CertificateParts): string => {
  const algorithm = sequence(objectId(oid.ecdsaWithSha256))
  const now = Date.now()
  const validity = sequence(x509Time(new Date(now - 3_600_000)), x509Time(new Date(now + days * 86_400_000)))
  const version = explicit(0, integer(Buffer.from([2])))
  const serial = integer(Buffer.concat([Buffer.from([1]), randomBytes(15)]))
  const signed = sequence(
    version,
    serial,
    algorithm,
    nameOf(caSubject),
    validity,
    nameOf(subject),
    spki,
    explicit(3, sequence(...extensions)),
  )
  const der = sequence(signed, algorithm, bits(sign('sha256', signed, caKey)))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

const nameOf = ({ commonName, organizations = [] }: Subject): Buffer =>
  sequence(
    ...organizations.map(organization => set(sequence(objectId(oid.organization), utf8(organization)))),
    set(sequence(objectId(oid.commonName), utf8(commonName))),
  )

const extension = (id: string, value: Buffer, isCritical: boolean): Buffer =>
  sequence(objectId(id), ...(isCritical ? [yes] : []), octets(value))

const keyUsage = (byte: number, unused: number): Buffer =>
  extension(oid.keyUsage, bits(Buffer.from([byte]), unused), true)

const caExtensions = (): Buffer[] => [extension(oid.basicConstraints, sequence(yes), true), keyUsage(0b0000_0110, 1)]

const clientExtensions = (): Buffer[] => [
  keyUsage(0b1000_0000, 7),
  extension(oid.extendedKeyUsage, sequence(objectId(oid.clientAuth)), false),
]

const servingExtensions = (hosts: readonly string[]): Buffer[] => [
  keyUsage(0b1000_0000, 7),
  extension(oid.extendedKeyUsage, sequence(objectId(oid.serverAuth)), false),
  extension(oid.alternativeNames, sequence(...hosts.map(alternativeName)), false),
]

const alternativeName = (host: string): Buffer =>
  isIP(host) === 4 ? tlv(0x87, Buffer.from(host.split('.').map(Number))) : tlv(0x82, Buffer.from(host))

export type KubeconfigAccess = { token: string } | Credentials

export const kubeconfigText = (name: string, server: string, caData: string, access: KubeconfigAccess): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': caData } }],
    users: [{ name: `${name}-admin`, user: userOf(access) }],
    contexts: [{ name, context: { cluster: name, user: `${name}-admin` } }],
    'current-context': name,
  })

const userOf = (access: KubeconfigAccess): Record<string, string> =>
  'token' in access
    ? { token: access.token }
    : {
        'client-certificate-data': Buffer.from(access.cert).toString('base64'),
        'client-key-data': Buffer.from(access.key).toString('base64'),
      }
