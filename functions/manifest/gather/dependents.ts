// Reads the objects of a module in its runtime, by the engine.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { ownerHashOf } from '../../../shared/component/declared/owner.ts'
import {
  type Item,
  type ItemKey,
  itemKey,
  itemsOf,
  objectKey,
  refOfItem,
} from '../../../shared/component/inventory/item.ts'
import { possessionOf } from '../../../shared/component/observed/adoption.ts'
import type { World } from '../../../shared/component/world.ts'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import { type ClusterName, groupOf, isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'
import { isCreated } from '../../../shared/kyma/manifests.ts'
import { dependents } from '../../../shared/runtime/component.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import { defaultObject, engineName, moduleDeletePriorities, operatedKind } from '../desired/module-objects.ts'
import { definesKind, isDefinedByOthers, isDefinition } from '../rules/definitions-of-others.ts'
import { moduleReadiness } from '../rules/readiness.ts'
import { asRemoved, isGroundKept } from '../rules/removal.ts'
import { isWrittenFor, type SharedObjects, type Sharer } from '../rules/sharers.ts'
import { defaultItems, hasBegun, isHandedOver } from '../rules/standing.ts'
import type { Installed } from '../world.ts'
import { instancesBesides, neededByLeaving } from './leaving-sharers.ts'
import type { Looking } from './neighbours.ts'
import { sharedObjects } from './sharers.ts'

const { fieldManagers, formerFieldManagers, namespaces } = kymaNames

const engine = dependents({
  name: engineName,
  options: {
    fieldOwner: fieldManagers.moduleObjects,
    adoptionPolicy: 'Always',
    updatePolicy: 'SsaOverride',
    reclaimedManagers: formerFieldManagers,
    crdFinalizers: false,
    deletePriorities: moduleDeletePriorities,
    deletionBlockers: component => blockers(component as Manifest),
    whileBlocked: 'repair',
    readiness: (object, builtIn, component) => moduleReadiness(object, builtIn, component as Manifest),
  },
  keepsKeysOnly: true,
})

/** All objects of the default object's kind: the module's operator must clean up behind them, if there ever was one. */
const blockers = (manifest: Manifest) => {
  const kind = operatedKind(manifest)
  return kind && !isHandedOver(manifest) && hasBegun(manifest) ? [kind] : 'none'
}

export type Seeing = Looking & {
  readonly context: GatherContext
  readonly on: ClusterName
  /** What is declared; undefined: it is not known. */
  readonly manifests: readonly KubeObject[] | undefined
  readonly now: Date
}

export const gatherDependents = async (
  seeing: Seeing,
): Promise<Pick<Installed, 'dependents' | 'defaultKey' | 'isDefaultGone'>> => {
  const { manifest, context, on, manifests, now, rival } = seeing
  const ofDefault = await defaultsOf(manifest, seeing)
  const [defaultKey] = ofDefault.map(itemKey)
  // The default object is written once. While the Manifest lives, one without our label is not ours yet: it would seem to be written.
  const inherits = (object: KubeObject): boolean => {
    const isDefault = objectKey(object) === defaultKey
    if (isDefault && !isDeleting(manifest)) return false
    return isWrittenFor(object, manifest) || (isDefault && rival === undefined && hasBegun(manifest))
  }
  const world = await engine.gather(
    {
      ...context,
      on,
      now,
      namespace: namespaceOf(seeing),
      ...(manifests && { manifests }),
      // Without manifests only what is there is of interest.
      ...(isHandedOver(manifest) && { wish: 'delete' as const }),
      items: [...itemsOf(manifest.status?.synced), ...ofDefault],
      inherits,
    },
    manifest,
  )
  const [dependents, isGone] = await Promise.all([
    withSharers(world, seeing, defaultKey),
    isDefaultGone(world, ofDefault, seeing),
  ])
  return { dependents, defaultKey, isDefaultGone: isGone }
}

/** Whoever deletes the default object on purpose leaves its kind and the rest of the module: then it is not created again. */
const isDefaultGone = async (
  { observed, manifests }: World,
  [item]: readonly Item[],
  { manifest, client }: Seeing,
): Promise<boolean> => {
  const defines = (object: KubeObject) => item !== undefined && definesKind(object, item)
  const live = [...observed.live.values()]
  const mayBeGone = live.length === 0 || (manifests.some(defines) && !live.some(defines))
  if (!item || !mayBeGone || !isCreated(manifest) || isDeleting(manifest)) return false
  return (await client.scopeOf(refOfItem(item))) === 'unserved'
}

/** The world with what others have in it: what they list or need, and Namespaces in which they have objects. */
const withSharers = async (alone: World, seeing: Seeing, defaultKey: ItemKey | undefined): Promise<World> => {
  const { manifest, kyma, client } = seeing
  const sharing = await sharedObjects(alone, seeing)
  const place = kyma ? syncNamespace(kyma) : namespaces.runtime
  const world = besideSharers(alone, sharing, { manifest, syncNamespace: place, defaultKey })
  const looking = { ...sharing, manifest, client, defaultsOf: (other: Manifest) => defaultsOf(other, seeing) }
  const [needed, instances] = await Promise.all([neededByLeaving(world, looking), instancesBesides(world, looking)])
  return {
    ...world,
    // The default object goes before all else, whoever needs it.
    needed: new Map([...needed].filter(([key]) => key !== defaultKey)),
    observed: { ...world.observed, instances },
  }
}

/** The default object of a Manifest; none: it has none. */
const defaultsOf = async (one: Manifest, { client, manifests = [] }: Seeing): Promise<Item[]> => {
  const resource = defaultObject(one)
  const scope = resource && (await client.scopeOf(resource))
  return defaultItems(one, (object): string => {
    const isClusterScoped = scope === 'cluster' || (scope === 'unserved' && isOfCluster(object, manifests))
    return isClusterScoped ? '' : (object.metadata.namespace ?? namespaceOf({ client }))
  })
}

/** Of objects that name none. */
const namespaceOf = ({ client }: Pick<Seeing, 'client'>): string => client.namespace ?? 'default'

/** A definition among the objects says so: its kind was served before, or will be. */
const isOfCluster = ({ apiVersion, kind }: KubeObject, objects: readonly KubeObject[]): boolean =>
  objects.some(
    object => definesKind(object, { group: groupOf(apiVersion), kind }) && mapOrEmpty(object.spec).scope === 'Cluster',
  )

// The objects of a Manifest beside its sharers: how each of them goes when the module drops it or is deleted, and whether users' custom
// objects hold it up. Example: another module lists this one's definition and operator, too, so nobody has to remove his objects first.

type Beside = {
  readonly manifest: Manifest
  /** Of copy and catalogue in the runtime. */
  readonly syncNamespace: string
  readonly defaultKey: ItemKey | undefined
}

const besideSharers = (alone: World, sharing: SharedObjects, beside: Beside): World => {
  const { shared, stillOurs, successors } = sharing
  const isDefault = (item: Item): boolean => itemKey(item) === beside.defaultKey
  const hasStrangersKind = isOfStrangersKind(alone, beside)
  const items = alone.items
    // A default object of a stranger's kind is the stranger's, too, unless it was made for this Manifest.
    .filter(item => !(hasStrangersKind && isDefault(item)) || isLabelled(item, alone))
    .map(item => asRemoved(isDefault(item) ? asFound(item, alone) : item, { ...beside, ...sharing }))
  const world = { ...alone, shared, stillOurs, items }
  const waitsForNone =
    hasStrangersKind || isGroundKept(items, world) || successors.some(one => keepsDefinitions(one, items))
  return waitsForNone ? { ...world, settings: { ...world.settings, deletionBlockers: 'none' } } : world
}

/** Somebody else has the definition of the default object's kind. */
const isOfStrangersKind = (world: World, { manifest, defaultKey }: Beside): boolean =>
  isDeleting(manifest) && world.items.some(item => itemKey(item) === defaultKey && isDefinedByOthers(item, world))

/** It has an operator of its own for the custom objects. */
const keepsDefinitions = ({ lists }: Sharer, items: readonly Item[]): boolean =>
  items.filter(isDefinition).every(item => lists.includes(itemKey(item)))

const isLabelled = (item: Item, { observed, settings, owner }: World): boolean => {
  const live = observed.live.get(itemKey(item))
  return live !== undefined && ownerHashOf(live, settings.reconcilerName) === owner.hash
}

/** Like any other object of somebody else, a default object counts as not applied, so that it can be taken if its owner is gone. */
const asFound = (item: Item, world: World): Item => {
  const live = world.observed.live.get(itemKey(item))
  if (live === undefined || possessionOf(live, world) !== 'foreign') return item
  return { ...item, phase: 'ScheduledForApplication', status: 'InProgress', lastAppliedAt: '' }
}
