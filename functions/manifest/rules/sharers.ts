// What sharers of a Manifest are (gather/sharers.ts reads them), which other Manifests count as such, and whose an object is.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import type { ItemKey } from '../../../shared/component/inventory/item.ts'
import { possessionOf } from '../../../shared/component/observed/adoption.ts'
import type { World } from '../../../shared/component/world.ts'
import { isDeleting, type KubeObject, keyOf, keyText } from '../../../shared/core/objects/object.ts'
import { ownFinalizers } from '../../../shared/kyma/finalizers.ts'
import type { Kyma, Manifest } from '../../../shared/kyma/kinds.ts'
import { isOn, isPickedUp, kymaNameOf, moduleNameOf } from '../../../shared/kyma/labels.ts'
import { manifestOperations, orphaned } from '../reasons.ts'
import { isHandedOver } from './standing.ts'

export type Sharer = {
  readonly other: Manifest
  /** Objects of this Manifest that it lists, or has as its default object. */
  readonly lists: readonly ItemKey[]
  /** Those of them that came with its layer, so that a new layer may drop them. */
  readonly ofLayer: readonly ItemKey[]
  /** Namespaces of this Manifest in which it has objects. */
  readonly inhabits: readonly ItemKey[]
}

export type SharedObjects = Pick<World, 'shared' | 'stillOurs'> & {
  /** By item key: the sharer that the object was left to, and that may drop it with its next layer. */
  readonly unsettled: ReadonlyMap<ItemKey, Sharer>
  /** They have the same module in a version whose component has another name. */
  readonly successors: readonly Sharer[]
  /** They are being deleted, too. */
  readonly leaving: readonly Sharer[]
  /** Namespaces of this Manifest in which others have objects and stay, or in which Kymas have their copies and default objects. */
  readonly inhabited: ReadonlySet<ItemKey>
}

/** It is another one, and looks after its objects. */
export const isLiving = (other: Manifest, manifest: Manifest): boolean =>
  isAnotherOfOurs(other, manifest) && !isDeleting(other) && !isOrphanReported(other)

/** It is another one that is being deleted, too, and may have to wait for custom objects first. */
export const isLeaving = (other: Manifest, manifest: Manifest): boolean =>
  isAnotherOfOurs(other, manifest) &&
  isDeleting(other) &&
  ownFinalizers(other).length > 0 &&
  Boolean(other.spec.resource)

/** It has a layer that is not installed yet, and may be about to drop what it lists. */
export const isChanging = (other: Manifest): boolean =>
  other.metadata.annotations?.[kymaNames.annotations.syncOciRef] !== other.spec.install.source.ref &&
  !isOn(other, kymaNames.labels.skipReconciliation) &&
  !isLayerRefused(other)

const isLayerRefused = ({ metadata, status }: Manifest): boolean =>
  status?.conditions?.some(
    ({ type, status, observedGeneration }) =>
      type === 'Resources' && status === 'False' && observedGeneration === metadata.generation,
  ) ?? false

/** The function keeps its objects as it keeps those of the Manifest. */
const isAnotherOfOurs = (other: Manifest, manifest: Manifest): boolean =>
  keyText(keyOf(other)) !== keyText(keyOf(manifest)) && isPickedUp(other) && !isHandedOver(other)

/** Both were made for one module of one Kyma. */
export const isSameModule = (other: Manifest, manifest: Manifest): boolean =>
  moduleNameOf(other) !== undefined &&
  moduleNameOf(other) === moduleNameOf(manifest) &&
  kymaNameOf(other) === kymaNameOf(manifest)

/** It waits for custom objects, or nobody has looked yet. */
export const isHeldUp = (other: Manifest): boolean => {
  const { state = '', lastOperation } = other.status ?? {}
  const isUnseen = !['Deleting', 'Error'].includes(state) && !isOn(other, kymaNames.labels.skipReconciliation)
  return isUnseen || lastOperation?.operation === manifestOperations.blocked
}

export const isInError = ({ status }: Manifest): boolean => status?.state === 'Error'

/** The object's annotation `owned-by` says so. The Go operator wrote that, too, but no label of the engine. */
export const isWrittenFor = ({ metadata }: KubeObject, manifest: Manifest): boolean =>
  metadata.annotations?.[kymaNames.annotations.ownedBy] === keyText(keyOf(manifest))

export const ownsAny = (world: World): boolean =>
  (world.stillOurs?.size ?? 0) > 0 ||
  [...world.observed.live.values()].some(object => possessionOf(object, world) === 'ours')

// A Manifest that nobody wants any more though nobody deleted it: it says so, and nothing is done.

/** Its Kyma may not have said yet that it made it. */
const youngSeconds = 300

/** Why it is one; undefined: it is wanted, going, or too young to know. No Kyma's status lists a mandatory module. */
export const orphanFault = (manifest: Manifest, kyma: Kyma | undefined, now: Date): string | undefined => {
  const { labels } = kymaNames
  const { name, creationTimestamp = '', labels: own } = manifest.metadata
  if (isDeleting(manifest) || isOn(manifest, labels.mandatoryModule)) return undefined
  const ageSeconds = (now.getTime() - Date.parse(creationTimestamp)) / 1000
  if (ageSeconds < youngSeconds) return undefined
  if (!kyma) return orphaned(`there is no Kyma ${own?.[labels.kymaName] ?? 'named'}`)
  if (isDeleting(kyma) || isNamed(name, kyma)) return undefined
  return orphaned(`Kyma ${kyma.metadata.name} does not name it`)
}

const isNamed = (name: string, { status }: Kyma): boolean =>
  status?.modules?.some(({ manifest }) => manifest?.metadata?.name === name) ?? false

/** Its status says so now. */
export const isOrphanReported = ({ status }: Manifest): boolean =>
  status?.lastOperation?.operation?.startsWith(orphaned('')) ?? false
