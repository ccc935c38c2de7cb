// Generates the content of Secrets by recipe: authorities (RSA), certificates (ECDSA P-256), keys, tokens and passwords. Asynchronous,
// because generating a large RSA key takes seconds.
import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, randomInt, X509Certificate } from 'node:crypto'
import { mapOrEmpty } from '../core/json/json.ts'
import type { KubeObject } from '../core/objects/object.ts'
import type { SecretRecipe } from '../core/objects/secret-recipe.ts'
import { encodedTexts, secretText } from '../core/objects/secret-text.ts'
import { authorityPem, leafPem, newEllipticKey, newRsaKey, pkcs8 } from './certificates.ts'

type Recipe<Make extends SecretRecipe['make']> = Extract<SecretRecipe, { make: Make }>
type Texts = Readonly<Record<string, string>>

/** Returns base64 data. `source`: the Secret that the recipe names. */
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

const newAuthority = async ({ commonName, notBefore, notAfter }: Recipe<'authority'>): Promise<Texts> => {
  const key = await newRsaKey(authorityBits)
  const usages = ['keyCertSign', 'cRLSign', 'digitalSignature'] as const
  const certificate = authorityPem({ subject: [['CN', commonName]], key, notBefore, notAfter, usages })
  return { 'ca.crt': certificate, 'ca.key': pkcs1(key) }
}

/** The key of an adopted authority may be an RSA key or an elliptic-curve key. */
const newCertificate = async (recipe: Recipe<'certificate'>, source: KubeObject | undefined): Promise<Texts> => {
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

const rsaTexts = async ({ bits }: Recipe<'rsaKey'>): Promise<Texts> => {
  const key = await newRsaKey(bits)
  const shown = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()
  return { id_rsa: pkcs1(key), 'id_rsa.pub': shown }
}

const pkcs1 = (key: KeyObject): string => key.export({ type: 'pkcs1', format: 'pem' }).toString()

const newBasicAuth = async ({ user }: Recipe<'basicAuth'>): Promise<Texts> => {
  const { hash } = await import('bcryptjs')
  const password = randomText(32)
  return { username: user, password, auth: `${user}:${await hash(password, 10)}` }
}

const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const randomText = (length: number): string =>
  Array.from({ length }, () => characters[randomInt(characters.length)]).join('')
