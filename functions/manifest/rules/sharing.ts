// Which Manifest may keep an object that another lists, too.
import { possessionOf } from '../../../shared/component/observed/adoption.ts'
import type { World } from '../../../shared/component/world.ts'
import { isDeleting, keyOf, keyText } from '../../../shared/core/objects/object.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { isPickedUp } from '../../../shared/kyma/labels.ts'
import { isOrphanReported } from './orphans.ts'
import { isHandedOver } from './standing.ts'

/** It is another one, and looks after its objects. */
export const isSharing = (other: Manifest, manifest: Manifest): boolean =>
  keyText(keyOf(other)) !== keyText(keyOf(manifest)) &&
  isPickedUp(other) &&
  !isDeleting(other) &&
  !isHandedOver(other) &&
  !isOrphanReported(other)

/** Some of the objects are of the Manifest. */
export const ownsAny = (world: World): boolean =>
  [...world.observed.live.values()].some(object => possessionOf(object, world) === 'ours')
