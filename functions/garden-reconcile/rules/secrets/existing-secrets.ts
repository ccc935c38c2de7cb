// Of each config: which existing Secret is the current one, which is the former one, and what name a missing one must get.
import { createPublicKey } from 'node:crypto'
import { attempted, whenRead } from '../../../../shared/core/decisions/reading.ts'
import { mapOrEmpty } from '../../../../shared/core/json/json.ts'
import { remembered, rememberedByName } from '../../../../shared/core/memory/remembered.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { encodedText, secretText } from '../../../../shared/core/objects/secret-text.ts'
import { kubeconfigText } from '../../desired/parts/kubeconfig.ts'
import { namespace, virtualGarden } from '../../desired/parts/names.ts'
import type { World } from '../../world.ts'
import { findObject, type Objects, objectsOf } from '../objects.ts'
import { phaseOf } from '../rotation/tokens.ts'
import { configChecksum, dataChecksum, generatedName } from './naming.ts'
import { contentOf, phasedRotation, type SecretConfig, secretConfig } from './secret-configs.ts'
import { markedName } from './secret-marks.ts'
import { authorityNames, type BundledName, type SecretConfigName } from './secret-names.ts'

export const secretKind = { apiVersion: 'v1', kind: 'Secret' } as const
export const identity = { 'managed-by': 'secrets-manager', 'manager-identity': 'gardener-operator' } as const

/** The name and the labels that a Secret must have, and what its data is made of. */
export type WantedSecret = {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly config?: SecretConfig
  readonly signer?: KubeObject
  /** The Secret whose data it copies, instead of new data. */
  readonly adopted?: KubeObject
  /** The name of the Secret that it follows in a rotation. */
  readonly follows?: string
  /** Its data, where that is computed from other Secrets, such as a bundle of CA certificates. */
  readonly texts?: Readonly<Record<string, string>>
}

/** undefined: its signer, or the bundle in its kubeconfig, does not exist yet. `rotationTime` stands for the one in the Garden's status. */
export const wantedSecret = (world: World, name: SecretConfigName, rotationTime?: string): WantedSecret | undefined => {
  return rotationTime === undefined ? wantedNow(world, name) : computedSecret(world, name, rotationTime)
}

/** Remembered, since each fault, step and bundle asks for the names anew, and each name is hashes of all that a Secret is made of. */
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
      ...(config.isPersistent && { persist: 'true' }),
    },
  )
  return { ...made, config, signer, texts }
}

export const currentSecret = (world: World, name: SecretConfigName): KubeObject | undefined =>
  existing(world, wantedSecret(world, name))

/**
 * The newest Secret of the config besides the current one. In phase Completing only a Secret counts that the current one does not say it
 * replaces; usually there is none then.
 */
export const formerSecret = (world: World, name: SecretConfigName): KubeObject | undefined => {
  const { isOldKept, rotation } = secretConfig(world, name)
  if (!isOldKept) return undefined
  const state = rotation && mapOrEmpty(world.garden.status?.credentials?.rotation?.[rotation])
  const others = state?.phase === 'Completing' ? unreplaced(world, name) : otherSecrets(world, name)
  return others[0]
}

/** In phase Preparing: the former Secret, which the current one follows. */
export const followedSecret = (world: World, name: SecretConfigName): KubeObject | undefined => {
  const credential = phasedRotation(world, name)
  return credential && phaseOf(world.garden, credential) === 'Preparing' ? formerSecret(world, name) : undefined
}

/** Secrets of the config that may still be in use: all but the current one and the one that its `replaces` annotation names. */
export const unreplaced = (world: World, name: SecretConfigName): readonly KubeObject[] => {
  const replaced = markedName(currentSecret(world, name), 'replaces')
  return otherSecrets(world, name).filter(({ metadata }) => metadata.name !== replaced)
}

const otherSecrets = (world: World, name: SecretConfigName): readonly KubeObject[] => {
  const current = wantedSecret(world, name)?.name
  return newestFirst(world, name).filter(({ metadata }) => metadata.name !== current)
}

/** Other Secrets with the same config: they differ in nothing but the time of their rotation. */
export const siblings = (world: World, name: SecretConfigName): readonly KubeObject[] => {
  const label = 'checksum-of-config'
  const checksum = wantedSecret(world, name)?.labels[label]
  return otherSecrets(world, name).filter(({ metadata }) => metadata.labels?.[label] === checksum)
}

export const isBundled = (name: SecretConfigName): name is BundledName =>
  name === 'service-account-key' || (authorityNames as readonly string[]).includes(name)

/** Remembered like the names of the Secrets in it. */
export const wantedBundle = rememberedByName((world: World, name: BundledName): WantedSecret | undefined => {
  const current = currentSecret(world, name)
  if (!current) return undefined
  const sources = [current, formerSecret(world, name) ?? []].flat()
  const texts: Record<string, string> =
    name === 'service-account-key'
      ? { 'bundle.key': sources.map(publicKey).join('') }
      : { 'bundle.crt': sources.map(source => secretText(source, 'ca.crt')).join('') }
  return { ...named(`${name}-bundle`, texts, { 'bundle-for': name }), texts }
})

export const currentBundle = (world: World, name: BundledName): KubeObject | undefined =>
  existing(world, wantedBundle(world, name))

/** The label by which people hand over a Secret: its value is the config that shall use the Secret's data. */
export const adoptionLabel = 'secrets-manager-use-data-for-name'

/** All Secrets with our identity labels, without those that people handed over for adoption. */
export const generatedSecrets = ({ runtime }: Pick<World, 'runtime'>): readonly KubeObject[] => generatedIn(runtime)

/** Remembered, since it is needed for each config, and again for each certificate that the config signs. */
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

type Extra = { readonly rotationTime?: string; readonly signerChecksum?: string } & Readonly<
  Record<string, string | undefined>
>

const named = (config: string, of: object, { rotationTime = '', signerChecksum, ...labels }: Extra): WantedSecret => {
  const checksum = configChecksum({ name: config, ...of })
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

/**
 * The CA that signs a certificate. A server certificate is signed by the former CA, while there is one: not all clients trust the new CA
 * yet.
 */
const signerOf = (world: World, { signer, isOfCurrent, uses }: Extract<SecretConfig, { make: 'certificate' }>) => {
  const current = currentSecret(world, signer)
  return current && !isOfCurrent && uses.includes('server') ? (formerSecret(world, signer) ?? current) : current
}

/** If the status has no time, for example because it was restored from a backup, it is taken from the newest Secret. */
const rotationTimeOf = (world: World, name: SecretConfigName, { rotation }: SecretConfig): string => {
  if (!rotation) return rotationLabel(newestFirst(world, name)[0])
  const time = world.garden.status?.credentials?.rotation?.[rotation]?.lastInitiationTime
  return time ? String(Math.floor(Date.parse(time) / 1000)) : rotationLabel(newestFirst(world, name)[0])
}

const rotationLabel = (secret: KubeObject | undefined): string =>
  secret?.metadata.labels?.['last-rotation-initiation-time'] ?? ''

const newestFirst = (world: World, name: string): KubeObject[] =>
  generatedSecrets(world)
    .filter(({ metadata }) => metadata.labels?.name === name)
    .toSorted((a, b) => ageOrder(b).localeCompare(ageOrder(a)))

const ageOrder = (secret: KubeObject): string =>
  `${secret.metadata.creationTimestamp ?? ''} ${rotationLabel(secret).padStart(12, '0')} ${secret.metadata.name}`

/** Empty for a private key that cannot be parsed. */
const publicKey = (secret: KubeObject): string =>
  whenRead(
    attempted(() => createPublicKey(secretText(secret, 'id_rsa'))),
    key => key.export({ type: 'spki', format: 'pem' }).toString(),
    () => '',
  )

/** Remembered, since a call needs it many times. */
const kubeconfigTexts = remembered((bundle: KubeObject): Record<string, string> => {
  const tokenFile = '/var/run/secrets/gardener.cloud/shoot/generic-kubeconfig/token'
  const authority = encodedText(secretText(bundle, 'bundle.crt'))
  const cluster = { 'certificate-authority-data': authority, server: `https://${virtualGarden('kube-apiserver')}` }
  return { kubeconfig: kubeconfigText(namespace, cluster, { tokenFile }) }
})
