// The sharers of a Manifest, as gather/sharers.ts reads them: which other Manifests count, which Manifest owns an object, how each object is
// removed, and whether users' custom objects block the removal. Example: another module lists the same definition and operator, so users
// need not delete their custom objects first.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { type Item, type ItemKey, itemKey } from '../../../shared/component/item.ts'
import { ownerHashOf, possessionOf } from '../../../shared/component/ownership.ts'
import type { World } from '../../../shared/component/world.ts'
import { isDeleting, type KubeObject, keyOf, keyText } from '../../../shared/core/objects/object.ts'
import {
  isOn,
  isPickedUp,
  type Kyma,
  kymaNameOf,
  type Manifest,
  moduleNameOf,
  ownFinalizers,
} from '../../../shared/kyma/kinds.ts'
import { manifestOperations, orphaned } from '../reasons.ts'
import { isDefinedByOthers, isDefinition } from './layer-objects.ts'
import { asRemoved, isGroundKept, isHandedOver } from './lifecycle.ts'

export type Sharer = {
  readonly other: Manifest
  /** Objects of this Manifest that the sharer lists or has as its default object. */
  readonly lists: readonly ItemKey[]
  /** The subset of `lists` from the sharer's layer, which a new layer may drop. */
  readonly ofLayer: readonly ItemKey[]
  /** Namespaces of this Manifest in which the sharer has objects. */
  readonly inhabits: readonly ItemKey[]
}

export type SharedObjects = Pick<World, 'shared' | 'stillOurs'> & {
  /** The heir of each object by item key. The heir may drop the object with its next layer. */
  readonly unsettled: ReadonlyMap<ItemKey, Sharer>
  /** Sharers with the same module, in a version whose component has another name. */
  readonly successors: readonly Sharer[]
  /** Sharers that are being deleted, too. */
  readonly leaving: readonly Sharer[]
  /** Namespaces of this Manifest that contain objects of staying Manifests, or copies or default objects of Kymas. */
  readonly inhabited: ReadonlySet<ItemKey>
}

/** Whether the other Manifest keeps its objects. */
export const isLiving = (other: Manifest, manifest: Manifest): boolean =>
  isAnotherOfOurs(other, manifest) && !isDeleting(other) && !isOrphanReported(other)

/** Whether the other Manifest is being deleted, and may have to wait for custom objects first. */
export const isLeaving = (other: Manifest, manifest: Manifest): boolean =>
  isAnotherOfOurs(other, manifest) &&
  isDeleting(other) &&
  ownFinalizers(other).length > 0 &&
  Boolean(other.spec.resource)

/** Whether the other Manifest's new layer is not installed yet, so that it may drop objects that it lists. */
export const isChanging = (other: Manifest): boolean =>
  other.metadata.annotations?.[kymaNames.annotations.syncOciRef] !== other.spec.install.source.ref &&
  !isOn(other, kymaNames.labels.skipReconciliation) &&
  !isLayerRefused(other)

const isLayerRefused = ({ metadata, status }: Manifest): boolean =>
  status?.conditions?.some(
    ({ type, status, observedGeneration }) =>
      type === 'Resources' && status === 'False' && observedGeneration === metadata.generation,
  ) ?? false

/** Whether this function keeps the objects of the other Manifest. */
const isAnotherOfOurs = (other: Manifest, manifest: Manifest): boolean =>
  keyText(keyOf(other)) !== keyText(keyOf(manifest)) && isPickedUp(other) && !isHandedOver(other)

/** Whether both Manifests were created for the same module of the same Kyma. */
export const isSameModule = (other: Manifest, manifest: Manifest): boolean =>
  moduleNameOf(other) !== undefined &&
  moduleNameOf(other) === moduleNameOf(manifest) &&
  kymaNameOf(other) === kymaNameOf(manifest)

/** Whether the Manifest waits for custom objects, or no call has looked for custom objects yet. */
export const isHeldUp = (other: Manifest): boolean => {
  const { state = '', lastOperation } = other.status ?? {}
  const isUnseen = !['Deleting', 'Error'].includes(state) && !isOn(other, kymaNames.labels.skipReconciliation)
  return isUnseen || lastOperation?.operation === manifestOperations.blocked
}

export const isInError = ({ status }: Manifest): boolean => status?.state === 'Error'

/** Whether the annotation `owned-by` names the Manifest. The Go operator also wrote this annotation, but not the engine's labels. */
export const isWrittenFor = ({ metadata }: KubeObject, manifest: Manifest): boolean =>
  metadata.annotations?.[kymaNames.annotations.ownedBy] === keyText(keyOf(manifest))

export const ownsAny = (world: World): boolean =>
  (world.stillOurs?.size ?? 0) > 0 ||
  [...world.observed.live.values()].some(object => possessionOf(object, world) === 'ours')

// An orphan is a Manifest that no Kyma names any more, although it was not deleted. An orphan is only reported.

/** A Manifest younger than this is not an orphan, because its Kyma may not have listed it in its status yet. */
const youngSeconds = 300

/**
 * Why the Manifest is an orphan. undefined: it is wanted, in deletion, too young, or mandatory, because no status lists mandatory modules.
 */
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

type Beside = {
  readonly manifest: Manifest
  /** The namespace of copy and catalogue in the runtime. */
  readonly syncNamespace: string
  readonly defaultKey: ItemKey | undefined
}

export const besideSharers = (alone: World, sharing: SharedObjects, beside: Beside): World => {
  const { shared, stillOurs, successors } = sharing
  const isDefault = (item: Item): boolean => itemKey(item) === beside.defaultKey
  const hasStrangersKind = isOfStrangersKind(alone, beside)
  const items = alone.items
    // If the definition is not ours, the default object is not ours either, unless it has our label.
    .filter(item => !(hasStrangersKind && isDefault(item)) || isLabelled(item, alone))
    .map(item => asRemoved(isDefault(item) ? asFound(item, alone) : item, { ...beside, ...sharing }))
  const world = { ...alone, shared, stillOurs, items }
  const waitsForNone =
    hasStrangersKind || isGroundKept(items, world) || successors.some(one => keepsDefinitions(one, items))
  return waitsForNone ? { ...world, settings: { ...world.settings, deletionBlockers: 'none' } } : world
}

/** The definition of the default object's kind is not ours. */
const isOfStrangersKind = (world: World, { manifest, defaultKey }: Beside): boolean =>
  isDeleting(manifest) && world.items.some(item => itemKey(item) === defaultKey && isDefinedByOthers(item, world))

/** The successor lists all definitions, so its own operator handles the custom objects. */
const keepsDefinitions = ({ lists }: Sharer, items: readonly Item[]): boolean =>
  items.filter(isDefinition).every(item => lists.includes(itemKey(item)))

const isLabelled = (item: Item, { observed, settings, owner }: World): boolean => {
  const live = observed.live.get(itemKey(item))
  return live !== undefined && ownerHashOf(live, settings.reconcilerName) === owner.hash
}

/** A default object of another owner counts as not applied. If the owner disappears, the Manifest can then take the object over. */
const asFound = (item: Item, world: World): Item => {
  const live = world.observed.live.get(itemKey(item))
  if (live === undefined || possessionOf(live, world) !== 'foreign') return item
  return { ...item, phase: 'ScheduledForApplication', status: 'InProgress', lastAppliedAt: '' }
}
