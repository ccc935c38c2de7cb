// Whether a component descriptor is unchanged since it was signed, and whether its signature fits one of our keys. layer-digests.ts compares the
// layers with the descriptor.
import {
  constants,
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  type PublicKeyInput,
  verify,
} from 'node:crypto'
import { kymaNames } from '../../api/kyma/names.ts'
import { checks } from '../../core/decisions/checks.ts'
import { attempted, type Reading } from '../../core/decisions/reading.ts'
import { isText, type JsonMap, mapOrEmpty, mapsIn, shownText } from '../../core/json/json.ts'
import { type KubeObject, keyOf, keyText } from '../../core/objects/object.ts'
import { normalisedText } from './normal-forms.ts'

type Signing = {
  readonly name: string
  readonly module: string
  readonly secrets: readonly KubeObject[]
}

/** Why the descriptor does not count as signed. undefined: it is signed. */
export const signatureFault = (document: JsonMap, signing: Signing): string | undefined => {
  const entry = entryNamed(document, signing.name)
  if (entry === undefined) return 'no signature was found'
  const text = normalisedText(document, shownText(entry.digest.normalisationAlgorithm))
  if (text === undefined) return `the normalisation ${JSON.stringify(entry.digest.normalisationAlgorithm)} is not known`
  return entryFault(entry, text) ?? keyFault({ entry, text }, signing)
}

type SignatureEntry = { readonly digest: JsonMap; readonly signature: JsonMap }

const entryNamed = ({ signatures }: JsonMap, name: string): SignatureEntry | undefined => {
  const found = mapsIn(signatures).find(entry => entry.name === name)
  return found && { digest: mapOrEmpty(found.digest), signature: mapOrEmpty(found.signature) }
}

const hashes: Readonly<Partial<Record<string, string>>> = { 'SHA-256': 'sha256', 'SHA-512': 'sha512' }

/** The name of a hash in Node. undefined: we do not accept the hash. */
export const hashNamed = (algorithm: unknown): string | undefined =>
  Object.hasOwn(hashes, shownText(algorithm)) ? hashes[shownText(algorithm)] : undefined

const entryFault = checks<[SignatureEntry, string], string>(
  ({ digest }) => !hashNamed(digest.hashAlgorithm) && `the hash ${JSON.stringify(digest.hashAlgorithm)} is not known`,
  ({ digest }, text) => hashOf(text, digest) !== digest.value && 'the descriptor was changed after it was signed',
  ({ signature }) =>
    !Object.hasOwn(paddings, shownText(signature.algorithm)) &&
    `the algorithm ${JSON.stringify(signature.algorithm)} is not known`,
  ({ signature }) => signatureBytes(signature) === undefined && 'the signature cannot be read',
)

const hashOf = (text: string, { hashAlgorithm }: JsonMap): string =>
  createHash(hashNamed(hashAlgorithm) ?? '')
    .update(text)
    .digest('hex')

const paddings: Readonly<Record<string, number>> = {
  'RSASSA-PKCS1-V1_5': constants.RSA_PKCS1_PADDING,
  'RSASSA-PSS': constants.RSA_PKCS1_PSS_PADDING,
}

const plainTypes = new Set<unknown>(['application/vnd.ocm.signature.rsa', 'application/vnd.ocm.signature.rsa.pss'])

/** The signature, given in hex or in PEM with its own headers. */
const signatureBytes = ({ mediaType, value }: JsonMap): Buffer | undefined => {
  if (!isText(value)) return undefined
  if (plainTypes.has(mediaType)) return /^([0-9a-f]{2})+$/i.test(value) ? Buffer.from(value, 'hex') : undefined
  const [, body] = /-----BEGIN SIGNATURE-----\n(.*?)-----END SIGNATURE-----/s.exec(value.replaceAll('\r', '')) ?? []
  const lines = body?.split('\n').filter(line => !line.includes(':')) ?? []
  return body === undefined ? undefined : Buffer.from(lines.join(''), 'base64')
}

type Signed = { readonly entry: SignatureEntry; readonly text: string }

/** One fitting key is enough, because keys are replaced one after the other. */
const keyFault = (signed: Signed, { name, module, secrets }: Signing): string | undefined => {
  const { moduleName, signature } = kymaNames.labels
  const own = secrets.filter(({ metadata: { labels } }) => (labels?.[moduleName] ?? module) === module)
  if (own.length === 0) return `no Secret with its public key exists (label ${signature}=${name})`
  const keys = own.map(publicKeyIn)
  if (keys.some(key => 'read' in key && isSignedBy(signed, key.read))) return undefined
  const [faulty] = keys.flatMap(key => ('failed' in key ? key.failed : []))
  return faulty ?? `no public key matches the signature ${name}`
}

const isSignedBy = ({ entry: { digest, signature }, text }: Signed, key: KeyObject): boolean => {
  const padding = paddings[shownText(signature.algorithm)]
  const bytes = signatureBytes(signature)
  return bytes !== undefined && verify(hashNamed(digest.hashAlgorithm), Buffer.from(text), { key, padding }, bytes)
}

const publicKeyIn = (secret: KubeObject): Reading<KeyObject> => {
  const called = `Secret ${keyText(keyOf(secret))}`
  const { key } = mapOrEmpty(secret.data)
  if (!isText(key)) return { failed: `${called} has no key "key"` }
  const bytes = Buffer.from(key, 'base64')
  if (isPrivate(bytes)) return { failed: `${called} contains a private key instead of a public key` }
  const read = first(forms.map(form => attempted(() => createPublicKey(form(bytes)))))
  if (read === undefined) return { failed: `${called} contains no public key` }
  return read.asymmetricKeyType === 'rsa' ? { read } : { failed: `${called} contains no RSA key` }
}

/** PEM contains its own format. DER is PKIX or PKCS1. */
const forms: readonly ((key: Buffer) => PublicKeyInput)[] = [
  key => ({ key, format: 'pem' }),
  key => ({ key, format: 'der', type: 'spki' }),
  key => ({ key, format: 'der', type: 'pkcs1' }),
]

/** Whether the key is private. Node would derive a public key from a private key without an error. */
const isPrivate = (key: Buffer): boolean =>
  first([
    attempted(() => createPrivateKey({ key, format: 'pem' })),
    attempted(() => createPrivateKey({ key, format: 'der', type: 'pkcs8' })),
    attempted(() => createPrivateKey({ key, format: 'der', type: 'pkcs1' })),
  ]) !== undefined || key.includes('PRIVATE KEY')

const first = (tried: readonly Reading<KeyObject>[]): KeyObject | undefined =>
  tried.flatMap(one => ('read' in one ? one.read : []))[0]
