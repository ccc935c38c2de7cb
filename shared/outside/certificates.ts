// Makes the content of Secrets: authorities and certificates (RSA, ECDSA P-256), keys, tokens and passwords. webhook-certificate and garden-reconcile
// decide which and when; shared/kube writes the Secret.
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
  randomInt,
  X509Certificate,
} from 'node:crypto'
import { promisify } from 'node:util'
import type { CertificateRequest } from '../core/decisions/plan.ts'
import { mapOrEmpty } from '../core/json/json.ts'
import type { KubeObject } from '../core/objects/object.ts'
import { encodedTexts, type SecretRecipe, secretText } from '../core/objects/secret-text.ts'
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

const newRsaKey = async (bits: number): Promise<KeyObject> => (await newKeys('rsa', { modulusLength: bits })).privateKey

const newEllipticKey = async (): Promise<KeyObject> => (await newKeys('ec', { namedCurve: 'P-256' })).privateKey

const pkcs8 = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

type Validity = Pick<CertificateParts, 'notBefore' | 'notAfter'>

/** An authority that signs its own certificate and cannot sign other authorities. */
const authorityPem = (parts: Validity & Pick<CertificateParts, 'subject' | 'usages' | 'key'>): string =>
  certificatePem({ ...parts, authority: { depth: 0 }, signer: signerOf(parts.key), serial: randomBytes(16) })

type LeafParts = Validity &
  Pick<CertificateParts, 'subject' | 'purposes' | 'key' | 'issuer'> & {
    readonly names: readonly string[]
    readonly issuerKey: KeyObject
  }

const leafPem = ({ names, issuerKey, ...parts }: LeafParts): string =>
  certificatePem({
    ...parts,
    names: withAddresses(names),
    usages: ['digitalSignature'],
    signer: signerOf(issuerKey),
    serial: randomBytes(16),
  })

type Recipe<Make extends SecretRecipe['make']> = Extract<SecretRecipe, { make: Make }>
type DataTexts = Readonly<Record<string, string>>

/** Returns base64 data. `source`: the Secret that the recipe names. */
export const secretData = async (
  recipe: SecretRecipe,
  source: KubeObject | undefined,
): Promise<Record<string, string>> => {
  if (recipe.make === 'copy') return { ...(mapOrEmpty(source?.data) as DataTexts) }
  if (recipe.make === 'encryptionKey') {
    const texts = encodedTexts({ provider: recipe.provider, key: recipe.keyName, encoding: 'none' })
    return { ...texts, secret: randomBytes(32).toString('base64') }
  }
  return encodedTexts(await textsOf(recipe, source))
}

const textsOf = async (
  recipe: Exclude<SecretRecipe, Recipe<'copy' | 'encryptionKey'>>,
  source: KubeObject | undefined,
): Promise<DataTexts> => {
  switch (recipe.make) {
    case 'authority':
      return authorityTexts(recipe)
    case 'certificate':
      return certificateTexts(recipe, source)
    case 'rsaKey':
      return rsaTexts(recipe)
    case 'staticToken':
      return { 'static_tokens.csv': `${randomText(128)},${recipe.user},${recipe.user},` }
    case 'basicAuth':
      return newBasicAuth(recipe)
    case 'given':
      return recipe.texts
  }
}

const authorityBits = 3072

const authorityTexts = async ({ commonName, notBefore, notAfter }: Recipe<'authority'>): Promise<DataTexts> => {
  const key = await newRsaKey(authorityBits)
  const usages = ['keyCertSign', 'cRLSign', 'digitalSignature'] as const
  const certificate = authorityPem({ subject: [['CN', commonName]], key, notBefore, notAfter, usages })
  return { 'ca.crt': certificate, 'ca.key': pkcs1(key) }
}

/** The key of an adopted authority may be an RSA key or an elliptic-curve key. */
const certificateTexts = async (recipe: Recipe<'certificate'>, source: KubeObject | undefined): Promise<DataTexts> => {
  const { commonName, organization, notBefore, notAfter, names, uses, hasAuthority } = recipe
  const authority = secretText(source, 'ca.crt')
  const key = await newEllipticKey()
  const certificate = leafPem({
    subject: [['CN', commonName], ...(organization ? [['O', organization] as const] : [])],
    names,
    purposes: uses,
    key,
    issuer: new X509Certificate(authority),
    issuerKey: createPrivateKey(secretText(source, 'ca.key')),
    notBefore,
    notAfter,
  })
  return { 'tls.crt': `${certificate}${hasAuthority ? authority : ''}`, 'tls.key': pkcs8(key) }
}

const rsaTexts = async ({ bits }: Recipe<'rsaKey'>): Promise<DataTexts> => {
  const key = await newRsaKey(bits)
  const shown = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()
  return { id_rsa: pkcs1(key), 'id_rsa.pub': shown }
}

const pkcs1 = (key: KeyObject): string => key.export({ type: 'pkcs1', format: 'pem' }).toString()

const newBasicAuth = async ({ user }: Recipe<'basicAuth'>): Promise<DataTexts> => {
  const { hash } = await import('bcryptjs')
  const password = randomText(32)
  return { username: user, password, auth: `${user}:${await hash(password, 10)}` }
}

const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const randomText = (length: number): string =>
  Array.from({ length }, () => characters[randomInt(characters.length)]).join('')
