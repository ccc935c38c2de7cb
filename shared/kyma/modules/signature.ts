// Whether a module has its required signature: the component descriptor is unchanged since it was signed, its signature fits one of our keys,
// and its layers are the signed layers.
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
import type { ModuleTemplate } from '../kinds.ts'
import type { RegistrySettings } from '../settings.ts'
import { blobReference, isLocalBlob, type ModuleDescriptor } from './descriptor.ts'
import type { ModuleFault } from './look-up.ts'
import { normalisedText } from './normal-forms.ts'

export type ModuleVersion = { readonly template: ModuleTemplate; readonly descriptor: ModuleDescriptor }

type Settings = Pick<RegistrySettings, 'signature'>

export type SignatureEvidence = {
  /** Secrets with keys for the signatures of modules, by the name of the signature. */
  readonly signatureSecrets: ReadonlyMap<string, readonly KubeObject[]>
  /** Digests of the layers of signed modules, by `<digest> <hash>`: of the stored bytes and of the unpacked bytes. */
  readonly layerDigests: ReadonlyMap<string, Reading<readonly string[]>>
}

/** The name of the required signature. undefined: no signature is required. */
export const signatureOf = ({ metadata }: ModuleTemplate, { settings }: { settings: Settings }): string | undefined =>
  metadata.labels?.[kymaNames.labels.signature] || settings.signature

/** Why the module is not installed. undefined: the module is signed, or needs no signature. */
export const unsigned = (
  module: string,
  { template, descriptor }: ModuleVersion,
  world: SignatureEvidence & { readonly settings: Settings },
): ModuleFault | undefined => {
  const name = signatureOf(template, world)
  if (name === undefined) return undefined
  const secrets = world.signatureSecrets.get(name) ?? []
  const why = signatureFault(descriptor.document, { name, module, secrets }) ?? layersFault(descriptor, world)
  return why === undefined ? undefined : { is: 'unresolved', text: `could not verify signature: ${why}` }
}

const layersFault = (descriptor: ModuleDescriptor, { layerDigests }: SignatureEvidence): string | undefined => {
  const layers = signedLayers(descriptor)
  if ('failed' in layers) return layers.failed
  const unread = { failed: 'a layer could not be read' }
  return layers.read
    .map(layer => signedLayerFault(layer, layerDigests.get(`${layer.ref} ${layer.hash}`) ?? unread))
    .find(fault => fault !== undefined)
}

export type SignedLayer = {
  readonly resource: string
  readonly ref: string
  /** The name of the hash in Node. */
  readonly hash: string
  readonly value: string
}

/** The layers whose bytes must be compared. `failed` names a resource without a digest or a reference. */
export const signedLayers = ({ resources }: ModuleDescriptor): Reading<readonly SignedLayer[]> => {
  const layers = resources.filter(isLocalBlob).map(signedLayer)
  const fault = layers.find(layer => 'failed' in layer)
  return fault ?? { read: layers.flatMap(layer => ('read' in layer ? layer.read : [])) }
}

/** `digests`: the digest of the stored bytes, and the digest of the unpacked bytes. */
const signedLayerFault = (
  { resource, value }: SignedLayer,
  digests: Reading<readonly string[]>,
): string | undefined => {
  if ('failed' in digests) return digests.failed
  return digests.read.includes(value) ? undefined : `the layer of resource ${resource} differs from the signed layer`
}

const signedLayer = (resource: JsonMap): Reading<SignedLayer> => {
  const { name, digest } = resource
  const { hashAlgorithm, value } = mapOrEmpty(digest)
  const hash = hashNamed(hashAlgorithm)
  const ref = blobReference(resource)
  if (hash === undefined || !isText(value)) return { failed: `resource ${shownText(name)} has no signed digest` }
  if (!isText(ref)) return { failed: `resource ${shownText(name)} has no reference to its layer` }
  return { read: { resource: shownText(name), ref, hash, value } }
}

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
const hashNamed = (algorithm: unknown): string | undefined =>
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
