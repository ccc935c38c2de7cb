// The last move before a rotation is Prepared: each new key gets the mark that it replaces the former key. At this time all clients use the
// new key and all stored objects are rewritten. Without the mark, no completion drops a key, whatever the status says.
import { refOf, refText } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { currentSecret, followedSecret } from '../secrets/existing-secrets.ts'
import { annotated, markedName, successionMark } from '../secrets/secret-marks.ts'
import { type SecretConfigName, secretConfigNames } from '../secrets/secret-names.ts'
import type { RotationWork } from './rotation-work.ts'

/** Called when the rotation has no other work left. */
export const replacements = (world: World): RotationWork => {
  const found = secretConfigNames.flatMap(name => replacement(world, name))
  return { steps: found.map(({ step }) => step), waits: found.map(({ wait }) => wait) }
}

const replacement = (world: World, name: SecretConfigName) => {
  const [current, former] = [currentSecret(world, name), followedSecret(world, name)]
  if (!current || !former || markedName(current, 'replaces') === former.metadata.name) return []
  return [
    {
      step: annotated(current, successionMark('replaces', former.metadata.name)),
      wait: `${refText(refOf(current))}: is not annotated yet as the replacement of ${former.metadata.name}`,
    },
  ]
}
