// Throw-away certificates for tests: an authority that lives as long as a test cluster, and the serving and client certificates that it signs.
// Everything is PEM text; the caller stores it.
import './reflect-metadata.ts'
import { webcrypto } from 'node:crypto'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256' }
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' }
const hourMilliseconds = 3_600_000

export type KeyPair = { readonly privateKey: string; readonly publicKey: string }
export type Certified = { readonly certificate: string; readonly key: string }

export type Authority = Certified & {
  /** A certificate for a server that is reached under these names and addresses. */
  serving(names: ServingNames): Promise<Certified>
  /** A certificate that Kubernetes reads as this user in these groups. */
  client(user: ClientUser): Promise<Certified>
}

export type ServingNames = {
  readonly dns?: readonly string[]
  readonly ip?: readonly string[]
  readonly days?: number
  /** The certificate is also good for clients. */
  readonly isForClientsToo?: true
}
export type ClientUser = {
  readonly user: string
  readonly groups?: readonly string[]
  readonly uris?: readonly string[]
  readonly days?: number
  /** When it begins to be valid, in days from now; an hour ago when absent. */
  readonly fromDays?: number
}

type AuthorityKind = Pick<ServingNames, 'ip'> & {
  /** P-256 when absent. */
  readonly curve?: 'P-256' | 'P-384' | 'P-521'
}

/** A new authority, which only those trust who get its certificate. With `ip`, a server can show the authority's certificate itself. */
export async function newAuthority(name: string, shown: AuthorityKind = {}): Promise<Authority> {
  const keys = await newKeys(shown.curve)
  const issuer = new Name([{ CN: [name] }])
  const authorityCertificate = await X509CertificateGenerator.createSelfSigned({
    name: issuer,
    keys,
    signingAlgorithm,
    ...validity(365),
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      ...(shown.ip ? [new SubjectAlternativeNameExtension(alternatives(shown))] : []),
    ],
  })
  const sign = async (subject: Name, valid: Validity, extensions: Extension[]): Promise<Certified> => {
    const own = await newKeys()
    const certificate = await X509CertificateGenerator.create({
      subject,
      issuer,
      publicKey: own.publicKey,
      signingKey: keys.privateKey,
      signingAlgorithm,
      ...valid,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        await AuthorityKeyIdentifierExtension.create(keys.publicKey),
        ...extensions,
      ],
    })
    return { certificate: certificate.toString('pem'), key: await privatePem(own.privateKey) }
  }
  return {
    certificate: authorityCertificate.toString('pem'),
    key: await privatePem(keys.privateKey),
    serving: names => sign(servingSubject(names), validity(names.days ?? 365), servingExtensions(names)),
    client: user => sign(clientSubject(user), validity(user.days ?? 365, user.fromDays), clientExtensions(user)),
  }
}

/** Keys without a certificate, as they sign tokens of service accounts. */
export async function newKeyPair(): Promise<KeyPair> {
  const keys = await newKeys()
  const publicKey = await webcrypto.subtle.exportKey('spki', keys.publicKey)
  return { privateKey: await privatePem(keys.privateKey), publicKey: PemConverter.encode(publicKey, 'PUBLIC KEY') }
}

function servingSubject(names: ServingNames): Name {
  return new Name([{ CN: [names.dns?.[0] ?? names.ip?.[0] ?? 'localhost'] }])
}

function servingExtensions({ isForClientsToo, ...names }: ServingNames): Extension[] {
  const usages = [ExtendedKeyUsage.serverAuth, ...(isForClientsToo ? [ExtendedKeyUsage.clientAuth] : [])]
  return [new ExtendedKeyUsageExtension(usages), new SubjectAlternativeNameExtension(alternatives(names))]
}

const alternatives = ({ dns = [], ip = [] }: ServingNames) => [
  ...dns.map(value => ({ type: 'dns' as const, value })),
  ...ip.map(value => ({ type: 'ip' as const, value })),
]

/** Kubernetes reads the common name as the user and every organization as a group. */
function clientSubject({ user, groups = [] }: ClientUser): Name {
  return new Name([...groups.map(group => ({ O: [group] })), ...(user === '' ? [] : [{ CN: [user] }])])
}

function clientExtensions({ uris = [] }: ClientUser): Extension[] {
  const names = uris.map(value => ({ type: 'url' as const, value }))
  return [
    extendedUsage(ExtendedKeyUsage.clientAuth),
    ...(names.length > 0 ? [new SubjectAlternativeNameExtension(names)] : []),
  ]
}

function extendedUsage(usage: ExtendedKeyUsage): Extension {
  return new ExtendedKeyUsageExtension([usage])
}

/** One hour into the past, for clocks that disagree. */
function validity(days: number, fromDays = -1 / 24): Validity {
  const [notBefore, notAfter] = [fromDays, days].map(from => new Date(Date.now() + from * 24 * hourMilliseconds))
  return { notBefore, notAfter }
}

type Validity = { readonly notBefore?: Date; readonly notAfter?: Date }

function newKeys(namedCurve = keyAlgorithm.namedCurve): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey({ ...keyAlgorithm, namedCurve }, true, ['sign', 'verify'])
}

async function privatePem(key: webcrypto.CryptoKey): Promise<string> {
  return PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')
}
