// Generated Secrets that are no longer needed: Secrets of configs that no step requests, and former Secrets that were replaced. They are
// deleted once all steps are ready, so that no running program still reads them. An unknown key is not deleted, because objects may be
// encrypted with this key.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import {
  currentBundle,
  currentSecret,
  formerSecret,
  generatedSecrets,
  isBundled,
  unknownSecrets,
} from './existing-secrets.ts'
import { madeAtSeconds } from './lifetimes.ts'
import { secretConfig, withSigners } from './secret-configs.ts'
import { type SecretConfigName, secretConfigNames } from './secret-names.ts'
import { isKeptOfOther } from './taken-over.ts'

/** `names`: the configs that steps request. Secrets of the CAs that sign these configs are kept, too. */
export const leftoverSecrets = (world: World, names: readonly SecretConfigName[], now: Date): readonly KubeObject[] => {
  const kept = withSigners(world, names)
    .flatMap(name => neededSecrets(world, name, now))
    .map(({ metadata }) => metadata.name)
  const unknown = new Set(secretConfigNames.flatMap(name => unknownSecrets(world, name)))
  return generatedSecrets(world).filter(
    secret => !kept.includes(secret.metadata.name) && !unknown.has(secret) && !isKeptOfOther(world.garden, secret),
  )
}

const neededSecrets = (world: World, name: SecretConfigName, now: Date): readonly KubeObject[] => {
  const current = currentSecret(world, name)
  const former = isFormerOver(world, name, now) ? undefined : formerSecret(world, name)
  const bundle = isBundled(name) ? currentBundle(world, name) : undefined
  return [current ?? [], former ?? [], bundle ?? []].flat()
}

/** For a CA that is renewed without a rotation: all clients trust the new CA, because `formerHours` have passed. */
const isFormerOver = (world: World, name: SecretConfigName, now: Date): boolean => {
  const { formerHours } = secretConfig(world, name)
  const current = currentSecret(world, name)
  const made = current && madeAtSeconds(current)
  return formerHours !== undefined && made !== undefined && now.getTime() / 1000 >= made + formerHours * 3600
}
