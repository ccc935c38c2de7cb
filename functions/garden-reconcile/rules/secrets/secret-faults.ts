// Why a Secret in the cluster cannot be used as a generated Secret. Possible faults: another program created the Secret with our name, the
// content is incomplete or invalid, or users offer two Secrets for one config. Nothing is overwritten, because a lost key cannot be
// restored. A user must check the Secret and delete it.
import { createPrivateKey } from 'node:crypto'
import type { RotationPhase } from '../../../../shared/api/garden/status.ts'
import { checks } from '../../../../shared/core/decisions/checks.ts'
import { attempted } from '../../../../shared/core/decisions/reading.ts'
import { rememberedByName } from '../../../../shared/core/memory/remembered.ts'
import { type PhasedCredential, phaseOf } from '../../../../shared/core/objects/garden-rotation.ts'
import { type KubeObject, type ObjectRef, refOf, refText } from '../../../../shared/core/objects/object.ts'
import { secretText } from '../../../../shared/core/objects/secret-text.ts'
import { certificatesIn, hasKey } from '../../../../shared/core/tls/certificate.ts'
import { namespace } from '../../desired/parts/names.ts'
import type { World } from '../../world.ts'
import { findObject } from '../objects.ts'
import { encryptingServers } from '../rotation/encryption-moves.ts'
import { apiServers, keyConfigOf } from '../rotation/encryption-state.ts'
import { isEncryptionKey } from './encryption-key.ts'
import {
  currentBundle,
  currentSecret,
  formerSecret,
  identity,
  isBundled,
  isSignedBy,
  secretKind,
  siblings,
  unreplaced,
  type WantedSecret,
  wantedBundle,
  wantedSecret,
} from './existing-secrets.ts'
import {
  phasedRotation,
  type SecretConfig,
  type SecretConfigName,
  secretConfig,
  withSigners,
} from './secret-configs.ts'
import { markedName } from './secret-metadata.ts'
import { adoptionSources } from './unknown-secrets.ts'

/** Faults of these configs' Secrets, and of the CAs that sign these Secrets. Each fault names the Secret. */
export const secretFaults = (world: World, names: readonly SecretConfigName[]): readonly string[] =>
  withSigners(world, names).flatMap(name => faultsOfConfig(world, name))

/** Cached, because many steps need the same Secrets, and each check takes a millisecond. */
const faultsOfConfig = rememberedByName((world: World, name: SecretConfigName): readonly string[] => {
  const current = currentSecret(world, name)
  if (!current) return [...adoptionFaults(world, name), ...successionFaults(world, name)]
  const own = [current, formerSecret(world, name) ?? []].flat().flatMap(secret => faultsOf(world, name, secret))
  return [...own, ...bundleFaults(world, name), ...successionFaults(world, name)]
})

const adoptionFaults = (world: World, name: SecretConfigName): readonly string[] => {
  const sources = adoptionSources(world, name)
  if (sources.length > 1) return [`${sources.map(textOf).sort().join(', ')}: only one of them can be used for ${name}`]
  const config = secretConfig(world, name)
  return sources.filter(source => !isWhole[config.make](source, config)).map(broken)
}

const faultsOf = (world: World, name: SecretConfigName, secret: KubeObject): readonly string[] => {
  if (isForeign(secret, name)) return [foreign(secret)]
  const { signer, texts } = (isCurrent(world, name, secret) ? wantedSecret(world, name) : undefined) ?? {}
  const config = secretConfig(world, name)
  const isUsable =
    isWhole[config.make](secret, config) && (!signer || isSignedBy(signer, secret)) && holds(secret, texts)
  return isUsable ? [] : [broken(secret)]
}

const isCurrent = (world: World, name: SecretConfigName, { metadata }: KubeObject): boolean =>
  wantedSecret(world, name)?.name === metadata.name

const bundleFaults = (world: World, name: SecretConfigName): readonly string[] => {
  if (!isBundled(name)) return []
  const [bundle, wanted] = [currentBundle(world, name), wantedBundle(world, name)]
  if (!bundle) return []
  if (isForeign(bundle, `${name}-bundle`)) return [foreign(bundle)]
  return holds(bundle, wanted?.texts) ? [] : [broken(bundle)]
}

const holds = (secret: KubeObject, texts: WantedSecret['texts'] = {}): boolean =>
  Object.entries(texts).every(([key, text]) => secretText(secret, key) === text)

const isForeign = ({ metadata: { labels } }: KubeObject, name: string): boolean =>
  Object.entries({ ...identity, name }).some(([label, value]) => labels?.[label] !== value)

const textOf = (secret: KubeObject): string => refText(refOf(secret))
const foreign = (secret: KubeObject): string =>
  `${textOf(secret)}: has the name of a generated Secret, but not its labels; delete it if nothing uses it`
const broken = (secret: KubeObject): string => `${textOf(secret)}: its content is incomplete or invalid`

const isPair = (secret: KubeObject, certificateKey: string, privateKey: string): boolean => {
  const [certificate] = certificatesIn(secretText(secret, certificateKey))
  return certificate !== undefined && hasKey(certificate, secretText(secret, privateKey))
}

const hasTexts =
  (...keys: readonly string[]) =>
  (secret: KubeObject): boolean =>
    keys.every(key => secretText(secret, key) !== '')

/** Whether the Secret has one line: a token, the name and the id of the config's user, and no group. */
const isTokenOf = (secret: KubeObject, config: SecretConfig): boolean => {
  const [token, ...user] = secretText(secret, 'static_tokens.csv').trim().split(',')
  return Boolean(token) && 'user' in config && user.join() === `${config.user},${config.user},`
}

const isWhole: Record<SecretConfig['make'], (secret: KubeObject, config: SecretConfig) => boolean> = {
  authority: secret => isPair(secret, 'ca.crt', 'ca.key'),
  certificate: secret => isPair(secret, 'tls.crt', 'tls.key'),
  rsaKey: secret => 'read' in attempted(() => createPrivateKey(secretText(secret, 'id_rsa'))),
  encryptionKey: isEncryptionKey,
  staticToken: isTokenOf,
  basicAuth: hasTexts('username', 'password', 'auth'),
  kubeconfig: hasTexts('kubeconfig'),
}

/**
 * Why a key must not be created or dropped, whatever the status says. A status that was edited by hand, or restored empty from a backup, may name
 * keys that do not exist, or no longer protect keys in use. A deleted key cannot be created again. So these checks compare the phase with the
 * existing Secrets and with their marks. The first fault is reported.
 */
const successionFaults = (world: World, name: SecretConfigName): readonly string[] => {
  const credential = phasedRotation(world, name)
  if (!secretConfig(world, name).isOldKept || !credential) return []
  const [wanted, current] = [wantedSecret(world, name)?.name ?? name, currentSecret(world, name)]
  const seen: Seen = { world, name, credential, wanted, phase: phaseOf(world.garden, credential) }
  const about = { ...seen, before: siblings(world, name) }
  return (current ? keptFault({ ...about, current }) : madeFault(about)) ?? []
}

type Seen = {
  readonly world: World
  readonly name: SecretConfigName
  readonly credential: PhasedCredential
  readonly phase: RotationPhase
  /** The name of the current Secret, which may not exist. */
  readonly wanted: string
}

type SeenMissing = Seen & { readonly before: readonly KubeObject[] }
type SeenThere = SeenMissing & { readonly current: KubeObject }

/** A mark of a former key says that the current key existed, but it is gone. Without the mark, the current key is created now. */
const currentGone = ({ wanted, before }: SeenMissing) => {
  const followed = before.find(secret => markedName(secret, 'followed-by') === wanted)
  return followed && [`${textOfName(wanted)}: was deleted, but may still be in use together with ${textOf(followed)}`]
}

/** In phase Preparing, one other key may exist, which the new key follows. In other phases no other key may exist. */
const makesOneTooMany = ({ phase, before, credential }: SeenMissing) =>
  before.length > (phase === 'Preparing' ? 1 : 0) && [unknownKeys(before, credential)]

/** The encryption key is gone, but an API server has stored objects with this key. A new key cannot decrypt these objects. */
const encryptionKeyGone = ({ world, name, wanted, before }: SeenMissing) => {
  const server = before.length === 0 ? encryptingWith(name) : undefined
  const isNeeded = server && findObject(world.runtime, server) && adoptionSources(world, name).length === 0
  return isNeeded && [`${textOfName(wanted)}: was deleted, but ${refText(server)} needs it to decrypt stored objects`]
}

const formerGone = ({ world, phase, credential, current }: SeenThere) => {
  const follows = markedName(current, 'follows')
  const isDropped = markedName(current, 'replaces') === follows && !['Preparing', 'Prepared'].includes(phase)
  if (follows === undefined || isDropped || findObject(world.runtime, secretRef(follows))) return undefined
  return [
    `${textOfName(follows)}: was deleted, but status.credentials.rotation.${credential} shows that it is still in use`,
  ]
}

const notReplaced = ({ world, name, phase, credential, current }: SeenThere) => {
  const inUse = ['Prepared', 'Completing'].includes(phase) ? unreplaced(world, name) : []
  const field = `status.credentials.rotation.${credential}.phase`
  return (
    inUse.length > 0 && [
      `${textsOf(inUse)}: may still be in use, because ${textOf(current)} is not annotated as its replacement, although ${field} is ${phase}`,
    ]
  )
}

/** More encryption keys exist than an API server's file may have: two keys in a rotation, otherwise one key. */
const isOneTooMany = ({ world, name, phase, before, credential }: SeenThere) =>
  secretConfig(world, name).make === 'encryptionKey' &&
  before.length > (['', 'Completed'].includes(phase) ? 0 : 1) && [unknownKeys(before, credential)]

const madeFault = checks<[SeenMissing], readonly string[]>(currentGone, makesOneTooMany, encryptionKeyGone)
const keptFault = checks<[SeenThere], readonly string[]>(formerGone, notReplaced, isOneTooMany)

/** The object that rolls out the API server with this key. undefined: the config is not an encryption key. */
const encryptingWith = (name: SecretConfigName): ObjectRef | undefined => {
  const server = encryptingServers.find(one => keyConfigOf(one) === name)
  return server && apiServers[server].rolledOutBy
}

const unknownKeys = (secrets: readonly KubeObject[], credential: PhasedCredential): string =>
  `${textsOf(secrets)}: may still be in use, but status.credentials.rotation.${credential} names another key`

const secretRef = (name: string): ObjectRef => ({ ...secretKind, namespace, name })
const textOfName = (name: string): string => refText(secretRef(name))
const textsOf = (secrets: readonly KubeObject[]): string => secrets.map(textOf).sort().join(', ')
