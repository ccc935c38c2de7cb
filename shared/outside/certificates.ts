// Makes authorities and serving certificates (ECDSA P-256) for a Secret. webhook-certificate decides which and when; shared/kube writes
// the Secret. The large library is loaded on first use.
import { webcrypto } from 'node:crypto'
import type { CertificateRequest } from '../core/decisions/plan.ts'
import type { KubeObject } from '../core/objects/object.ts'
import { encodedTexts, secretText } from '../core/objects/secret-text.ts'
import type * as Library from './x509.ts'

/** The Secret's new base64 data. `request.renew` lists what is renewed; the rest stays unchanged. */
export const issueCertificates = async (
  request: CertificateRequest,
  current: KubeObject | undefined,
  now = new Date(),
): Promise<Record<string, string>> => {
  const making = { ...(await import('./x509.ts')), request, now }
  const present = { 'ca.crt': secretText(current, 'ca.crt'), 'ca.key': secretText(current, 'ca.key') }
  const authority = request.renew.includes('authority') && (await newAuthority(making, present['ca.crt']))
  const serving = request.renew.includes('serving') && (await newServing(making, authority || present))
  return { ...(current?.data as Texts | undefined), ...encodedTexts({ ...authority, ...serving }) }
}

type Making = typeof Library & { request: CertificateRequest; now: Date }
type X509 = typeof Library.x509
type Texts = Readonly<Record<string, string>>

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256' }
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' }
/** Certificates start a minute early, for clients whose clocks are slow. */
const backdateMilliseconds = 60_000
const dayMilliseconds = 86_400_000

/** Puts a new authority before those in `ca.crt`, so that clients trust old certificates too. */
const newAuthority = async ({ x509, request, now }: Making, trusted: string): Promise<Texts> => {
  const keys = await newKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: new x509.Name([{ CN: [`${request.commonName}-ca-${now.toISOString()}`] }]),
    keys,
    signingAlgorithm,
    ...validity(now, request.authorityDays),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { 'ca.crt': `${pemLines(certificate)}${trusted}`, 'ca.key': await privatePem(x509, keys.privateKey) }
}

/** Signed by the first authority in `ca.crt`, and not valid longer than it. */
const newServing = async ({ x509, leafExtensions, request, now }: Making, authority: Texts): Promise<Texts> => {
  const issuer = new x509.X509Certificate(authority['ca.crt'] ?? '')
  const keys = await newKeys()
  const { notBefore, notAfter } = validity(now, request.servingDays)
  const certificate = await x509.X509CertificateGenerator.create({
    subject: new x509.Name([{ CN: [request.commonName] }]),
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey: await privateKey(x509, authority['ca.key'] ?? ''),
    signingAlgorithm,
    notBefore,
    notAfter: earlier(issuer.notAfter, notAfter),
    extensions: await leafExtensions({
      names: request.names,
      uses: request.isForClientsToo ? ['server', 'client'] : ['server'],
      issuer,
      publicKey: keys.publicKey,
    }),
  })
  return { 'tls.crt': pemLines(certificate), 'tls.key': await privatePem(x509, keys.privateKey) }
}

const validity = (now: Date, days: number) => ({
  notBefore: new Date(now.getTime() - backdateMilliseconds),
  notAfter: new Date(now.getTime() + days * dayMilliseconds),
})

const earlier = (one: Date, other: Date): Date => new Date(Math.min(one.getTime(), other.getTime()))

const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify'])

const privateKey = (x509: X509, pem: string): Promise<webcrypto.CryptoKey> =>
  webcrypto.subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(pem), keyAlgorithm, false, ['sign'])

const privatePem = async (x509: X509, key: webcrypto.CryptoKey): Promise<string> =>
  `${x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`

const pemLines = (certificate: Library.x509.X509Certificate): string => `${certificate.toString('pem')}\n`
