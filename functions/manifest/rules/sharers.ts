// The sharers of a Manifest, as gather/sharers.ts reads them: which other Manifests count, and who owns an object.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import type { ItemKey } from '../../../shared/component/inventory/item.ts'
import { possessionOf } from '../../../shared/component/observed/adoption.ts'
import type { World } from '../../../shared/component/world.ts'
import { isDeleting, type KubeObject, keyOf, keyText } from '../../../shared/core/objects/object.ts'
import { ownFinalizers } from '../../../shared/kyma/finalizers.ts'
import type { Kyma, Manifest } from '../../../shared/kyma/kinds.ts'
import { isOn, isPickedUp, kymaNameOf, moduleNameOf } from '../../../shared/kyma/labels.ts'
import { manifestOperations, orphaned } from '../reasons.ts'
import { isHandedOver } from './lifecycle.ts'

export type Sharer = {
  readonly other: Manifest
  /** Objects of this Manifest that it lists, or has as its default object. */
  readonly lists: readonly ItemKey[]
  /** Those of `lists` that came with its layer, so a new layer may drop them. */
  readonly ofLayer: readonly ItemKey[]
  /** Namespaces of this Manifest in which it has objects. */
  readonly inhabits: readonly ItemKey[]
}

export type SharedObjects = Pick<World, 'shared' | 'stillOurs'> & {
  /** By item key: the heir of the object, which may drop it with its next layer. */
  readonly unsettled: ReadonlyMap<ItemKey, Sharer>
  /** Sharers with the same module, in a version whose component has another name. */
  readonly successors: readonly Sharer[]
  /** Sharers that are being deleted, too. */
  readonly leaving: readonly Sharer[]
  /** Namespaces of this Manifest that hold objects of others that stay, or copies or default objects of Kymas. */
  readonly inhabited: ReadonlySet<ItemKey>
}

/** Another Manifest that keeps its objects. */
export const isLiving = (other: Manifest, manifest: Manifest): boolean =>
  isAnotherOfOurs(other, manifest) && !isDeleting(other) && !isOrphanReported(other)

/** Another Manifest that is being deleted, and may have to wait for custom objects first. */
export const isLeaving = (other: Manifest, manifest: Manifest): boolean =>
  isAnotherOfOurs(other, manifest) &&
  isDeleting(other) &&
  ownFinalizers(other).length > 0 &&
  Boolean(other.spec.resource)

/** Its layer is not installed yet, so it may drop objects that it lists. */
export const isChanging = (other: Manifest): boolean =>
  other.metadata.annotations?.[kymaNames.annotations.syncOciRef] !== other.spec.install.source.ref &&
  !isOn(other, kymaNames.labels.skipReconciliation) &&
  !isLayerRefused(other)

const isLayerRefused = ({ metadata, status }: Manifest): boolean =>
  status?.conditions?.some(
    ({ type, status, observedGeneration }) =>
      type === 'Resources' && status === 'False' && observedGeneration === metadata.generation,
  ) ?? false

/** Another Manifest whose objects this function keeps. */
const isAnotherOfOurs = (other: Manifest, manifest: Manifest): boolean =>
  keyText(keyOf(other)) !== keyText(keyOf(manifest)) && isPickedUp(other) && !isHandedOver(other)

/** Both were created for the same module of the same Kyma. */
export const isSameModule = (other: Manifest, manifest: Manifest): boolean =>
  moduleNameOf(other) !== undefined &&
  moduleNameOf(other) === moduleNameOf(manifest) &&
  kymaNameOf(other) === kymaNameOf(manifest)

/** The Manifest waits for custom objects, or no call has looked for them yet. */
export const isHeldUp = (other: Manifest): boolean => {
  const { state = '', lastOperation } = other.status ?? {}
  const isUnseen = !['Deleting', 'Error'].includes(state) && !isOn(other, kymaNames.labels.skipReconciliation)
  return isUnseen || lastOperation?.operation === manifestOperations.blocked
}

export const isInError = ({ status }: Manifest): boolean => status?.state === 'Error'

/** The annotation `owned-by` names the Manifest. The Go operator wrote it too, but no label of the engine. */
export const isWrittenFor = ({ metadata }: KubeObject, manifest: Manifest): boolean =>
  metadata.annotations?.[kymaNames.annotations.ownedBy] === keyText(keyOf(manifest))

export const ownsAny = (world: World): boolean =>
  (world.stillOurs?.size ?? 0) > 0 ||
  [...world.observed.live.values()].some(object => possessionOf(object, world) === 'ours')

// An orphan is a Manifest that no Kyma names any more, although nobody deleted it. It is reported, and nothing else is done.

/** Until then its Kyma may not have named it in its status. */
const youngSeconds = 300

/** Why the Manifest is an orphan; undefined: it is wanted, in deletion, or too young. No Kyma's status lists mandatory modules. */
export const orphanFault = (manifest: Manifest, kyma: Kyma | undefined, now: Date): string | undefined => {
  const { labels } = kymaNames
  const { name, creationTimestamp = '', labels: own } = manifest.metadata
  if (isDeleting(manifest) || isOn(manifest, labels.mandatoryModule)) return undefined
  const ageSeconds = (now.getTime() - Date.parse(creationTimestamp)) / 1000
  if (ageSeconds < youngSeconds) return undefined
  const owner = own?.[labels.kymaName]
  if (!kyma) return orphaned(owner ? `Kyma ${owner} does not exist` : `the label ${labels.kymaName} is missing`)
  if (isDeleting(kyma) || isNamed(name, kyma)) return undefined
  return orphaned(`the status of Kyma ${kyma.metadata.name} does not list it`)
}

const isNamed = (name: string, { status }: Kyma): boolean =>
  status?.modules?.some(({ manifest }) => manifest?.metadata?.name === name) ?? false

export const isOrphanReported = ({ status }: Manifest): boolean =>
  status?.lastOperation?.operation?.startsWith(orphaned('')) ?? false
