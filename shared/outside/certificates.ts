// Makes authorities and serving certificates (ECDSA P-256) for a Secret. webhook-certificate decides which and when; shared/kube writes
// the Secret.
import { createPrivateKey, generateKeyPair, type KeyObject, randomBytes, X509Certificate } from 'node:crypto'
import { promisify } from 'node:util'
import type { CertificateRequest } from '../core/decisions/plan.ts'
import type { KubeObject } from '../core/objects/object.ts'
import { encodedTexts, secretText } from '../core/objects/secret-text.ts'
import { type CertificateParts, certificatePem, signerOf, withAddresses } from '../core/tls/x509.ts'

/** Returns the new base64 data of the Secret. `request.renew` lists the certificates to renew; all other data stays unchanged. */
export const issueCertificates = async (
  request: CertificateRequest,
  current: KubeObject | undefined,
  now = new Date(),
): Promise<Record<string, string>> => {
  const present = { 'ca.crt': secretText(current, 'ca.crt'), 'ca.key': secretText(current, 'ca.key') }
  const authority = request.renew.includes('authority') && (await newAuthority(request, now, present['ca.crt']))
  const serving = request.renew.includes('serving') && (await newServing(request, now, authority || present))
  return { ...(current?.data as Texts | undefined), ...encodedTexts({ ...authority, ...serving }) }
}

type Texts = Readonly<Record<string, string>>

/** Certificates start a minute early, for clients whose clocks are slow. */
const backdateMilliseconds = 60_000
const dayMilliseconds = 86_400_000

/** Puts a new authority before the authorities in `ca.crt`, so that clients trust old certificates too. */
const newAuthority = async (request: CertificateRequest, now: Date, trusted: string): Promise<Texts> => {
  const key = await newEllipticKey()
  const subject = [['CN', `${request.commonName}-ca-${now.toISOString()}`]] as const
  const usages = ['keyCertSign', 'cRLSign'] as const
  const certificate = authorityPem({ subject, key, ...validity(now, request.authorityDays), usages })
  return { 'ca.crt': `${certificate}${trusted}`, 'ca.key': pkcs8(key) }
}

/** Signed by the first authority in `ca.crt`. Expires no later than this authority. */
const newServing = async (request: CertificateRequest, now: Date, authority: Texts): Promise<Texts> => {
  const issuer = new X509Certificate(authority['ca.crt'] ?? '')
  const key = await newEllipticKey()
  const { notBefore, notAfter } = validity(now, request.servingDays)
  const certificate = leafPem({
    subject: [['CN', request.commonName]],
    names: request.names,
    purposes: request.isForClientsToo ? ['server', 'client'] : ['server'],
    key,
    issuer,
    issuerKey: createPrivateKey(authority['ca.key'] ?? ''),
    notBefore,
    notAfter: earlier(issuer.validToDate, notAfter),
  })
  return { 'tls.crt': certificate, 'tls.key': pkcs8(key) }
}

const validity = (now: Date, days: number): Validity => ({
  notBefore: new Date(now.getTime() - backdateMilliseconds),
  notAfter: new Date(now.getTime() + days * dayMilliseconds),
})

const earlier = (one: Date, other: Date): Date => new Date(Math.min(one.getTime(), other.getTime()))

/** Asynchronous, because a large RSA key takes seconds. */
const newKeys = promisify(generateKeyPair)

export const newRsaKey = async (bits: number): Promise<KeyObject> =>
  (await newKeys('rsa', { modulusLength: bits })).privateKey

export const newEllipticKey = async (): Promise<KeyObject> => (await newKeys('ec', { namedCurve: 'P-256' })).privateKey

export const pkcs8 = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

type Validity = Pick<CertificateParts, 'notBefore' | 'notAfter'>

/** An authority that signs its own certificate and cannot sign other authorities. */
export const authorityPem = (parts: Validity & Pick<CertificateParts, 'subject' | 'usages' | 'key'>): string =>
  certificatePem({ ...parts, authority: { depth: 0 }, signer: signerOf(parts.key), serial: randomBytes(16) })

type LeafParts = Validity &
  Pick<CertificateParts, 'subject' | 'purposes' | 'key' | 'issuer'> & {
    readonly names: readonly string[]
    readonly issuerKey: KeyObject
  }

export const leafPem = ({ names, issuerKey, ...parts }: LeafParts): string =>
  certificatePem({
    ...parts,
    names: withAddresses(names),
    usages: ['digitalSignature'],
    signer: signerOf(issuerKey),
    serial: randomBytes(16),
  })
