// Holds rotations where they are. What a rotation does in the virtual garden (new tokens, Seeds, objects encrypted anew) is decided in this
// folder and not carried out yet, and to go on without it would drop keys that are in use: a Garden in such a phase says so and stays.
import type { World } from '../../world.ts'
import { phasedCredentials, phaseOf } from './tokens.ts'

/** Each rotation under way is waited for. */
export const rotationWaits = ({ garden }: World): readonly string[] =>
  phasedCredentials
    .filter(credential => ['Preparing', 'Completing'].includes(phaseOf(garden, credential)))
    .map(credential => `rotation of ${credential}: its part in the virtual garden is not carried out by this version`)
