// Events about Secrets that have the labels of a key but that no object of ours names, and about adopted keys.
import type { EventNote } from '../../../../shared/core/decisions/plan.ts'
import { refOf, refText } from '../../../../shared/core/objects/object.ts'
import { reasons } from '../../reasons.ts'
import type { World } from '../../world.ts'
import { adoptionSources } from './adoption.ts'
import { currentSecret, generatedSecrets, type SecretOfConfig, unknownSecrets } from './existing-secrets.ts'
import { type SecretConfigName, secretConfigNames } from './secret-names.ts'

/** A limit, because a user who may create Secrets can create any number of Secrets. */
const mostEvents = 10

export const secretEvents = (world: World): EventNote[] => [
  ...secretConfigNames.flatMap(name => unknownEvents(world, name)).slice(0, mostEvents),
  ...secretConfigNames.flatMap(name => adoptionEvents(world, name)),
]

const unknownEvents = (world: World, name: SecretConfigName): EventNote[] =>
  unknownSecrets(world, name).map(secret => ({
    type: 'Warning',
    reason: reasons.unknownSecret,
    message: `${refText(refOf(secret))}: has the labels of a generated Secret of ${name}, but neither the Garden nor the current Secret refers to it. Espalier neither uses nor deletes it; delete it unless stored objects are encrypted with it`,
    occasion: secret.metadata.uid,
  }))

/** One second later, the rotation starts with other names. */
export const plantedEvents = (planted: readonly SecretOfConfig[]): EventNote[] =>
  planted.slice(0, mostEvents).map(({ name, secret }) => ({
    ...{ type: 'Warning', reason: reasons.unknownSecret, occasion: secret.metadata.uid },
    message: `${refText(refOf(secret))}: has the name that the rotation would give to its new ${name}, but existed before the rotation. Espalier does not use it; delete it`,
  }))

/** Keys and passwords that are older than the Garden, as after a restore. Nothing proves that they belong to the Garden. */
export const inheritedEvents = (world: World, configs: readonly SecretConfigName[]): EventNote[] =>
  configs.flatMap(name => {
    const secret = currentSecret(world, name)
    return secret && generatedSecrets(world).includes(secret)
      ? [
          {
            ...{ type: 'Warning', reason: reasons.unknownSecret, occasion: secret.metadata.uid },
            message: `${refText(refOf(secret))}: is older than the Garden and has the name and labels of its ${name}, so the Garden uses it. If it does not come from an earlier Garden of yours, delete the Garden, delete the Secret, and create the Garden again`,
          },
        ]
      : []
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
