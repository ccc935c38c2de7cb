// Finds the current Secret and the former Secret of each config, and the name of a missing Secret.
import { createPublicKey } from 'node:crypto'
import { attempted, whenRead } from '../../../../shared/core/decisions/reading.ts'
import { isText, mapOrEmpty } from '../../../../shared/core/json/json.ts'
import { remembered, rememberedByName } from '../../../../shared/core/memory/remembered.ts'
import { phaseOf } from '../../../../shared/core/objects/garden-rotation.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { encodedText, secretText } from '../../../../shared/core/objects/secret-text.ts'
import { unixSeconds } from '../../../../shared/core/time/kube-time.ts'
import { certificatesIn, hasIssued } from '../../../../shared/core/tls/certificate.ts'
import { kubeconfigText } from '../../desired/parts/config-object.ts'
import { namespace, virtualGarden } from '../../desired/parts/names.ts'
import type { World } from '../../world.ts'
import { findObject, type Objects, objectsOf } from '../objects.ts'
import {
  type AuthorityName,
  authorityNames,
  type BundledName,
  contentOf,
  phasedRotation,
  type SecretConfig,
  type SecretConfigName,
  secretConfig,
  signingKeyNames,
} from './secret-configs.ts'
import { configChecksum, dataChecksum, formerNamesIn, generatedName, markedName, takenOver } from './secret-metadata.ts'

export const secretKind = { apiVersion: 'v1', kind: 'Secret' } as const
export const identity = { 'managed-by': 'secrets-manager', 'manager-identity': 'gardener-operator' } as const

export type WantedSecret = {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly config?: SecretConfig
  readonly signer?: KubeObject
  /** The Secret from which the data is copied. */
  readonly adopted?: KubeObject
  /** The name of the former Secret in a rotation. */
  readonly follows?: string
  /** The data, if it is computed from other Secrets, for example a bundle of CA certificates. */
  readonly texts?: Readonly<Record<string, string>>
}

/** undefined: the signer, or the bundle for the kubeconfig, does not exist yet. `rotationTime` replaces the time in the Garden's status. */
export const wantedSecret = (world: World, name: SecretConfigName, rotationTime?: string): WantedSecret | undefined => {
  return rotationTime === undefined ? wantedNow(world, name) : computedSecret(world, name, rotationTime)
}

/** Cached, because each fault, step and bundle needs the names, and computing a name hashes all inputs of its Secret. */
const wantedNow = rememberedByName((world: World, name: SecretConfigName) => computedSecret(world, name))

const computedSecret = (world: World, name: SecretConfigName, rotationTime?: string): WantedSecret | undefined => {
  const config = secretConfig(world, name)
  const signer = config.make === 'certificate' ? signerOf(world, config) : undefined
  if (config.make === 'certificate' && !signer) return undefined
  const bundle = config.make === 'kubeconfig' ? currentBundle(world, 'ca') : undefined
  const texts = bundle && kubeconfigTexts(bundle)
  if (config.make === 'kubeconfig' && !texts) return undefined
  const made = named(
    name,
    { ...contentOf(config), ...texts },
    {
      rotationTime: rotationTime ?? rotationTimeOf(world, name, config),
      signerChecksum: signer && dataChecksum(signer.data),
      checksum: takenOver(world.garden).checksums[name],
      ...(config.isPersistent && { persist: 'true' }),
    },
  )
  return { ...made, config, signer, texts }
}

export const currentSecret = (world: World, name: SecretConfigName): KubeObject | undefined =>
  existing(world, wantedSecret(world, name))

/** The former Secret that is still in use. In phase Completing, a Secret that the current Secret replaces is no longer in use. */
export const formerSecret = (world: World, name: SecretConfigName): KubeObject | undefined => {
  const { isOldKept, rotation } = secretConfig(world, name)
  if (!isOldKept) return undefined
  const phase = rotation && mapOrEmpty(world.garden.status?.credentials?.rotation?.[rotation]).phase
  const isRotating = phase === 'Preparing' || phase === 'Prepared'
  const others = isRotating || !phasedRotation(world, name) ? knownFormers(world, name) : unreplaced(world, name)
  return others[0]
}

/**
 * Former Secrets that the Garden or the current Secret names. Labels and ages prove nothing, because any user who may create Secrets in the
 * namespace can set our labels. Exception: if the Go operator created the current Secret in a rotation, the current Secret names no former
 * Secret. Then the last Secret before it counts.
 */
const knownFormers = rememberedByName((world: World, name: SecretConfigName): readonly KubeObject[] => {
  const current = currentSecret(world, name)
  const others = otherSecrets(world, name)
  const named = [
    markedName(current, 'follows'),
    markedName(current, 'replaces'),
    markedName(current, 'followed-by'),
    formerNamesIn(world.garden)[wantedSecret(world, name)?.name ?? ''],
  ].filter(isText)
  if (named.length > 0) return others.filter(({ metadata }) => named.includes(metadata.name))
  // A kubeconfig holds no key, so all other Secrets count.
  if (secretConfig(world, name).make === 'kubeconfig') return others
  const credential = phasedRotation(world, name)
  const isInRotation = !credential || !['', 'Completed'].includes(phaseOf(world.garden, credential))
  if (!isInRotation || (current && rotationLabel(current) === '')) return []
  return current ? others.filter(other => madeAt(other) <= madeAt(current)).slice(0, 1) : others
})

const madeAt = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? ''

/** Secrets with the labels of this config that no object of ours names. They are not used; a user must check them. */
export const unknownSecrets = (world: World, name: SecretConfigName): readonly KubeObject[] => {
  if (!secretConfig(world, name).isOldKept || !phasedRotation(world, name) || !currentSecret(world, name)) return []
  const known = new Set(knownFormers(world, name))
  return otherSecrets(world, name).filter(secret => !known.has(secret))
}

/** In phase Preparing, the former Secret, which the current Secret follows. */
export const followedSecret = (world: World, name: SecretConfigName): KubeObject | undefined => {
  const credential = phasedRotation(world, name)
  return credential && phaseOf(world.garden, credential) === 'Preparing' ? formerSecret(world, name) : undefined
}

/** Former Secrets that may still be in use: all except the Secret in the `replaces` annotation of the current Secret. */
export const unreplaced = (world: World, name: SecretConfigName): readonly KubeObject[] => {
  const replaced = markedName(currentSecret(world, name), 'replaces')
  return knownFormers(world, name).filter(({ metadata }) => metadata.name !== replaced)
}

const otherSecrets = (world: World, name: SecretConfigName): readonly KubeObject[] => {
  const current = wantedSecret(world, name)?.name
  return newestFirst(world, name).filter(({ metadata }) => metadata.name !== current)
}

/** Former Secrets with the same config, which differ only in the rotation time. Without a known former or current Secret, all count. */
export const siblings = (world: World, name: SecretConfigName): readonly KubeObject[] => {
  const label = 'checksum-of-config'
  const checksum = wantedSecret(world, name)?.labels[label]
  const known = knownFormers(world, name)
  const others = known.length > 0 || currentSecret(world, name) ? known : otherSecrets(world, name)
  return others.filter(({ metadata }) => metadata.labels?.[label] === checksum)
}

export const isBundled = (name: SecretConfigName): name is BundledName =>
  ([...signingKeyNames, ...authorityNames] as readonly string[]).includes(name)

/** Cached, like the names of the Secrets in the bundle. */
export const wantedBundle = rememberedByName((world: World, name: BundledName): WantedSecret | undefined => {
  const current = currentSecret(world, name)
  if (!current) return undefined
  const sources = [current, formerSecret(world, name) ?? []].flat()
  const texts: Record<string, string> =
    secretConfig(world, name).make === 'rsaKey'
      ? { 'bundle.key': sources.map(publicKey).join('') }
      : { 'bundle.crt': sources.map(source => secretText(source, 'ca.crt')).join('') }
  return { ...named(`${name}-bundle`, texts, { 'bundle-for': name }), texts }
})

export const currentBundle = (world: World, name: BundledName): KubeObject | undefined =>
  existing(world, wantedBundle(world, name))

/** The label with which users offer a Secret for adoption. Its value is the config that gets the Secret's data. */
export const adoptionLabel = 'secrets-manager-use-data-for-name'

/** All Secrets with our identity labels, except Secrets that users offer for adoption. */
export const generatedSecrets = ({ runtime }: Pick<World, 'runtime'>): readonly KubeObject[] => generatedIn(runtime)

/** Cached, because each config needs these Secrets, and also each certificate that a config signs. */
const generatedIn = remembered((runtime: Objects): readonly KubeObject[] =>
  objectsOf(runtime, secretKind).filter(
    ({ metadata: { namespace: where, labels } }) =>
      where === namespace &&
      labels?.[adoptionLabel] === undefined &&
      Object.entries(identity).every(([label, value]) => labels?.[label] === value),
  ),
)

const existing = ({ runtime }: World, wanted: WantedSecret | undefined): KubeObject | undefined =>
  wanted && findObject(runtime, { ...secretKind, namespace, name: wanted.name })

type Extra = Readonly<Record<'rotationTime' | 'signerChecksum' | 'checksum' | string, string | undefined>>

const named = (config: string, content: object, extra: Extra): WantedSecret => {
  const {
    rotationTime = '',
    signerChecksum,
    checksum = configChecksum({ name: config, ...content }),
    ...labels
  } = extra
  return {
    name: generatedName({ config, checksum, signerChecksum, rotationTime }),
    labels: {
      name: config,
      ...identity,
      'checksum-of-config': checksum,
      'last-rotation-initiation-time': rotationTime,
      ...(signerChecksum && { 'checksum-of-signing-ca': signerChecksum }),
      ...(labels as Record<string, string>),
    },
  }
}

/** The CA that signs a certificate. If there is a former CA, it signs server certificates, because not all clients trust the new CA. */
const signerOf = (world: World, { signer, isOfCurrent, uses }: Extract<SecretConfig, { make: 'certificate' }>) => {
  const current = currentSecret(world, signer)
  return current && !isOfCurrent && uses.includes('server') ? (formerSecret(world, signer) ?? current) : current
}

/**
 * The status may lack the time, for example after a restore from a backup, or because the config is renewed without a rotation. Then the
 * time is in a label: of the newest certificate that our CA has signed, or of the last Secret in the row of marks.
 */
const rotationTimeOf = (world: World, name: SecretConfigName, config: SecretConfig): string => {
  const { rotation } = config
  const time = rotation && unixSeconds(world.garden.status?.credentials?.rotation?.[rotation]?.lastInitiationTime)
  if (time !== undefined) return String(time)
  const all = newestFirst(world, name)
  return rotationLabel(config.make === 'certificate' ? newestLeaf(world, all, config.signer) : lastInRow(all))
}

/** A leaf has no marks, because it is not kept beside its successor. A leaf that none of our CAs has signed is not ours. */
const newestLeaf = (world: World, all: readonly KubeObject[], signer: AuthorityName): KubeObject | undefined => {
  if (all.length < 2) return all[0]
  const authorities = [currentSecret(world, signer) ?? [], formerSecret(world, signer) ?? []].flat()
  return all.find(secret => authorities.some(authority => isSignedBy(authority, secret)))
}

/** Only programs that may change our Secrets can set marks. So the search begins with the oldest Secret and follows `followed-by`. */
const lastInRow = (newestFirst: readonly KubeObject[]): KubeObject | undefined => {
  let last = newestFirst.at(-1)
  for (const _ of newestFirst) {
    const follower = markedName(last, 'followed-by')
    last = newestFirst.find(({ metadata }) => metadata.name === follower) ?? last
  }
  return last
}

export const isSignedBy = (signer: KubeObject, secret: KubeObject): boolean => {
  const [authority] = certificatesIn(secretText(signer, 'ca.crt'))
  const [certificate] = certificatesIn(secretText(secret, 'tls.crt'))
  return authority !== undefined && certificate !== undefined && hasIssued(authority, certificate)
}

const rotationLabel = (secret: KubeObject | undefined): string =>
  secret?.metadata.labels?.['last-rotation-initiation-time'] ?? ''

const newestFirst = (world: World, name: string): KubeObject[] =>
  generatedSecrets(world)
    .filter(({ metadata }) => metadata.labels?.name === name)
    .toSorted((a, b) => ageOrder(b).localeCompare(ageOrder(a)))

const ageOrder = (secret: KubeObject): string =>
  `${secret.metadata.creationTimestamp ?? ''} ${rotationLabel(secret).padStart(12, '0')} ${secret.metadata.name}`

/** Empty if the private key cannot be parsed. */
const publicKey = (secret: KubeObject): string =>
  whenRead(
    attempted(() => createPublicKey(secretText(secret, 'id_rsa'))),
    key => key.export({ type: 'spki', format: 'pem' }).toString(),
    () => '',
  )

/** Cached, because a call needs this text many times. */
const kubeconfigTexts = remembered((bundle: KubeObject): Record<string, string> => {
  const tokenFile = '/var/run/secrets/gardener.cloud/shoot/generic-kubeconfig/token'
  const authority = encodedText(secretText(bundle, 'bundle.crt'))
  const cluster = { 'certificate-authority-data': authority, server: `https://${virtualGarden('kube-apiserver')}` }
  return { kubeconfig: kubeconfigText(namespace, cluster, { tokenFile }) }
})

/**
 * The Secret, for builders of desired objects, which are called when all Secrets of their step exist. A missing Secret is a mistake in the
 * table of steps, so the builder throws.
 */
export const secretNow = (world: World, name: SecretConfigName): KubeObject => {
  const secret = currentSecret(world, name)
  if (secret) return secret
  throw new TypeError(`the Secret of ${name} does not exist`)
}

/** The Secret with the current and the former certificates (`bundle.crt`) or public keys (`bundle.key`). */
export const bundleNow = (world: World, name: BundledName): KubeObject => {
  const bundle = currentBundle(world, name)
  if (bundle) return bundle
  throw new TypeError(`the bundle of ${name} does not exist`)
}

/** The CA bundle that verifies certificates of this CA, in base64, as webhooks and kubeconfigs hold it. */
export const caBundleNow = (world: World, name: AuthorityName): string =>
  encodedText(secretText(bundleNow(world, name), 'bundle.crt'))
