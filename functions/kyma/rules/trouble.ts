// What keeps all parts of a Kyma from being judged at all.
import { checks } from '../../../shared/core/checks.ts'
import type { Trouble } from '../parts/part.ts'
import type { World } from '../world.ts'

/** The first trouble of the Kyma as a whole; its parts then write nothing, and what they would say is unknown. */
export const troubleOf = checks<[World], Trouble>(
  ({ wanted }) =>
    wanted.channel === 'none' && {
      text: 'invalid kyma spec: value "none" is not allowed in spec.channel',
      needs: 'person',
    },
)
