// Generates the content of Secrets by recipe: authorities (RSA), certificates (ECDSA P-256), keys, tokens and passwords. Asynchronous,
// because a large RSA key takes seconds. The large library is loaded on first use.
import { createPrivateKey, KeyObject, randomBytes, randomInt, webcrypto } from 'node:crypto'
import { mapOrEmpty } from '../core/json/json.ts'
import type { KubeObject } from '../core/objects/object.ts'
import type { SecretRecipe } from '../core/objects/secret-recipe.ts'
import { encodedTexts, secretText } from '../core/objects/secret-text.ts'

type Recipe<Make extends SecretRecipe['make']> = Extract<SecretRecipe, { make: Make }>
type Texts = Readonly<Record<string, string>>

/** Returns base64 data. `source`: the Secret of the recipe. */
export const secretData = async (
  recipe: SecretRecipe,
  source: KubeObject | undefined,
): Promise<Record<string, string>> => {
  if (recipe.make === 'copy') return { ...(mapOrEmpty(source?.data) as Texts) }
  if (recipe.make === 'encryptionKey') {
    const texts = encodedTexts({ provider: recipe.provider, key: recipe.keyName, encoding: 'none' })
    return { ...texts, secret: randomBytes(32).toString('base64') }
  }
  return encodedTexts(await textsOf(recipe, source))
}

const textsOf = async (
  recipe: Exclude<SecretRecipe, Recipe<'copy' | 'encryptionKey'>>,
  source: KubeObject | undefined,
): Promise<Texts> => {
  switch (recipe.make) {
    case 'authority':
      return newAuthority(recipe)
    case 'certificate':
      return newCertificate(recipe, source)
    case 'rsaKey':
      return newRsaKey(recipe)
    case 'staticToken':
      return { 'static_tokens.csv': `${randomText(128)},${recipe.user},${recipe.user},` }
    case 'basicAuth':
      return newBasicAuth(recipe)
    case 'given':
      return recipe.texts
  }
}

const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const
const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const authorityBits = 3072

const newRsaKeys = (modulusLength: number): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey({ ...rsa, modulusLength, publicExponent: Uint8Array.of(1, 0, 1) }, true, [
    'sign',
    'verify',
  ])

const newAuthority = async ({ commonName, notBefore, notAfter }: Recipe<'authority'>): Promise<Texts> => {
  const { x509 } = await import('./x509.ts')
  const keys = await newRsaKeys(authorityBits)
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: new x509.Name([{ CN: [commonName] }]),
    keys,
    signingAlgorithm: rsa,
    notBefore,
    notAfter,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { 'ca.crt': `${certificate.toString('pem')}\n`, 'ca.key': keyPem(keys.privateKey, 'pkcs1') }
}

const newCertificate = async (recipe: Recipe<'certificate'>, source: KubeObject | undefined): Promise<Texts> => {
  const { leafExtensions, x509 } = await import('./x509.ts')
  const authority = secretText(source, 'ca.crt')
  const issuer = new x509.X509Certificate(authority)
  const keys = await webcrypto.subtle.generateKey(ecdsa, true, ['sign', 'verify'])
  const { notBefore, notAfter, names, uses, organization } = recipe
  const subject = [{ CN: [recipe.commonName] }, ...(organization ? [{ O: [organization] }] : [])]
  const certificate = await x509.X509CertificateGenerator.create({
    subject: new x509.Name(subject),
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    notBefore,
    notAfter,
    ...signingKey(secretText(source, 'ca.key')),
    extensions: await leafExtensions({ names, uses, issuer, publicKey: keys.publicKey }),
  })
  const chain = `${certificate.toString('pem')}\n${recipe.hasAuthority ? authority : ''}`
  return { 'tls.crt': chain, 'tls.key': keyPem(keys.privateKey, 'pkcs8') }
}

/** Signing algorithms of adopted elliptic authorities, by curve. */
const curves: Readonly<Record<string, typeof ecdsa | { name: 'ECDSA'; namedCurve: string; hash: string }>> = {
  prime256v1: ecdsa,
  secp384r1: { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  secp521r1: { name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-512' },
}

/** An adopted authority may have an RSA or an elliptic key. */
const signingKey = (pem: string) => {
  const key = createPrivateKey(pem)
  const signingAlgorithm = curves[key.asymmetricKeyDetails?.namedCurve ?? ''] ?? rsa
  return { signingKey: key.toCryptoKey(signingAlgorithm, false, ['sign']), signingAlgorithm }
}

const newRsaKey = async ({ bits }: Recipe<'rsaKey'>): Promise<Texts> => {
  const { privateKey, publicKey } = await newRsaKeys(bits)
  const shown = KeyObject.from(publicKey).export({ type: 'spki', format: 'pem' }).toString()
  return { id_rsa: keyPem(privateKey, 'pkcs1'), 'id_rsa.pub': shown }
}

const newBasicAuth = async ({ user }: Recipe<'basicAuth'>): Promise<Texts> => {
  const { hash } = await import('bcryptjs')
  const password = randomText(32)
  return { username: user, password, auth: `${user}:${await hash(password, 10)}` }
}

const keyPem = (key: webcrypto.CryptoKey, type: 'pkcs1' | 'pkcs8'): string =>
  KeyObject.from(key).export({ type, format: 'pem' }).toString()

const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const randomText = (length: number): string =>
  Array.from({ length }, () => characters[randomInt(characters.length)]).join('')
