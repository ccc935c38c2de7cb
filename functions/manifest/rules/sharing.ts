// Which Manifest may keep an object that another lists, too.
import { isDeleting, keyOf, keyText } from '../../../shared/core/object.ts'
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
