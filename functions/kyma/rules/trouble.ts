// Faults that prevent judging any part of a Kyma.
import { checks } from '../../../shared/core/decisions/checks.ts'
import { isDeleting } from '../../../shared/core/objects/object.ts'
import { nameFault } from '../../../shared/kyma/kyma-runtime.ts'
import type { Trouble } from '../parts/part.ts'
import type { World } from '../world.ts'

/** The first trouble of the Kyma as a whole. Its modules then stay as they are. No trouble blocks the deletion of a Kyma. */
export const troubleOf = (world: World): Trouble | undefined => (isDeleting(world.kyma) ? undefined : trouble(world))

const named = (text: string | undefined): Trouble | undefined =>
  text === undefined ? undefined : { text, needs: 'person' }

const trouble = checks<[World], Trouble>(
  ({ kyma }) => named(nameFault(kyma)),
  ({ runtime }) =>
    'fault' in runtime && { text: runtime.fault, needs: runtime.is === 'refused' ? 'person' : 'outside' },
  ({ wanted }) =>
    wanted.channel === 'none' && {
      text: 'invalid kyma spec: value "none" is not allowed in spec.channel',
      needs: 'person',
    },
)
