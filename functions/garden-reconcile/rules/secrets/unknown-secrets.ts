// Secrets that look like keys of the Garden: Secrets that users offer for adoption, Secrets with the labels or the name of a key, and keys that
// are older than the Garden. Events name them.
import type { EventNote } from '../../../../shared/core/decisions/plan.ts'
import { type KubeObject, refOf, refText } from '../../../../shared/core/objects/object.ts'
import { reasons } from '../../reasons.ts'
import type { World } from '../../world.ts'
import { objectsOf } from '../objects.ts'
import {
  adoptionLabel,
  currentSecret,
  generatedSecrets,
  secretKind,
  unknownSecrets,
  wantedSecret,
} from './existing-secrets.ts'
import { type SecretConfigName, secretConfig, secretConfigNames } from './secret-configs.ts'

const adoptableNames: readonly SecretConfigName[] = [
  ...(['ca', 'ca-client', 'ca-front-proxy', 'service-account-key'] as const),
  ...(['kube-apiserver-etcd-encryption-key', 'gardener-apiserver-etcd-encryption-key'] as const),
]

/**
 * Secrets to adopt for this config, while the config has no Secret yet. The first Secret of config `ca` gets, byte for byte, the data of the
 * Secret with label `secrets-manager-use-data-for-name: ca`. Later the label has no effect, because a rotation creates a new key. More than
 * one Secret is a fault.
 */
export const adoptionSources = (world: World, name: SecretConfigName): readonly KubeObject[] => {
  const isMade = generatedSecrets(world).some(({ metadata }) => metadata.labels?.name === name)
  return isMade || !adoptableNames.includes(name)
    ? []
    : objectsOf(world.runtime, secretKind).filter(({ metadata }) => metadata.labels?.[adoptionLabel] === name)
}

/** A limit, because a user who may create Secrets can create any number of Secrets. */
const mostEvents = 10

export const secretEvents = (world: World): EventNote[] => [
  ...secretConfigNames.flatMap(name => unknownEvents(world, name)).slice(0, mostEvents),
  ...secretConfigNames.flatMap(name => adoptionEvents(world, name)),
]

const unknownEvents = (world: World, name: SecretConfigName): EventNote[] =>
  unknownSecrets(world, name).map(secret =>
    warning(
      secret,
      `has the labels of a generated Secret of ${name}, but neither the Garden nor the current Secret refers to it. Espalier neither uses nor deletes it; delete it unless stored objects are encrypted with it`,
    ),
  )

const warning = (secret: KubeObject, says: string): EventNote => ({
  ...{ type: 'Warning', reason: reasons.unknownSecret, occasion: secret.metadata.uid },
  message: `${refText(refOf(secret))}: ${says}`,
})

const adoptionEvents = (world: World, name: SecretConfigName): EventNote[] =>
  currentSecret(world, name)
    ? []
    : adoptionSources(world, name).map(secret => ({
        type: 'Normal',
        reason: reasons.secretAdopted,
        message: `${refText(refOf(secret))}: its content becomes the first ${name} of the Garden`,
        occasion: `${name} ${secret.metadata.uid}`,
      }))

export type SecretOfConfig = { readonly name: SecretConfigName; readonly secret: KubeObject }

/** Secrets that have the names of new Secrets before their rotation starts, so they are not ours. `after`: the world after the start. */
export const plantedSecrets = (world: World, after: World): readonly SecretOfConfig[] =>
  secretConfigNames.flatMap(name => {
    if (!secretConfig(world, name).rotation) return []
    const secret = currentSecret(after, name)
    return secret && secret.metadata.name !== wantedSecret(world, name)?.name ? [{ name, secret }] : []
  })

/** One second later, the rotation starts with other names. */
export const plantedEvents = (planted: readonly SecretOfConfig[]): EventNote[] =>
  planted
    .slice(0, mostEvents)
    .map(({ name, secret }) =>
      warning(
        secret,
        `has the name that the rotation would give to its new ${name}, but existed before the rotation. Espalier does not use it; delete it`,
      ),
    )

/** Keys and passwords that are older than the Garden, as after a restore. Nothing proves that they belong to the Garden. */
export const inheritedEvents = (world: World, configs: readonly SecretConfigName[]): EventNote[] =>
  configs.flatMap(name => {
    const secret = currentSecret(world, name)
    return secret && generatedSecrets(world).includes(secret)
      ? warning(
          secret,
          `is older than the Garden and has the name and labels of its ${name}, so the Garden uses it. If it does not come from an earlier Garden of yours, delete the Garden, delete the Secret, and create the Garden again`,
        )
      : []
  })
