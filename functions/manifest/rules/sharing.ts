// Which Manifest may keep an object that another lists, too.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { possessionOf } from '../../../shared/component/observed/adoption.ts'
import type { World } from '../../../shared/component/world.ts'
import { isDeleting, type KubeObject, keyOf, keyText } from '../../../shared/core/objects/object.ts'
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

/** As the object itself notes. The Go operator, which gave it no label of the engine, notes the same. */
export const isWrittenFor = ({ metadata }: KubeObject, manifest: Manifest): boolean =>
  metadata.annotations?.[kymaNames.annotations.ownedBy] === keyText(keyOf(manifest))

/** Some of the objects are of the Manifest, or are so again. */
export const ownsAny = (world: World): boolean =>
  (world.returned?.size ?? 0) > 0 ||
  [...world.observed.live.values()].some(object => possessionOf(object, world) === 'ours')
