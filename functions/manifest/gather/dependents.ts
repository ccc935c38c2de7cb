// Reads the objects of a module in its runtime, through the engine.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { type Item, type ItemKey, itemKey, itemsOf, objectKey, refOfItem } from '../../../shared/component/item.ts'
import type { World } from '../../../shared/component/world.ts'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import { type ClusterName, groupOf, isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'
import { isCreated } from '../../../shared/kyma/manifests.ts'
import { dependents } from '../../../shared/runtime/component.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import { defaultObject, engineName, moduleDeletePriorities, operatedKind } from '../desired/module-objects.ts'
import { definesKind } from '../rules/layer-objects.ts'
import { defaultItems, hasBegun, isHandedOver } from '../rules/lifecycle.ts'
import { moduleReadiness } from '../rules/readiness.ts'
import { besideSharers, isWrittenFor } from '../rules/sharers.ts'
import type { Installed } from '../world.ts'
import { instancesBesides, neededByLeaving } from './leaving-sharers.ts'
import type { Looking } from './neighbours.ts'
import { sharedObjects } from './sharers.ts'

const { fieldManagers, formerFieldManagers, namespaces } = kymaNames

/**
 * The calls for a runtime share few connections to it (`fleetConnections`). With more requests at once, the last ones would wait so long for a
 * connection that the runtime would count as silent.
 */
export const requestsInFlight = 8

const engine = dependents({
  name: engineName,
  options: {
    fieldOwner: fieldManagers.moduleObjects,
    requestsInFlight,
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

/**
 * All objects of the default object's kind, because the module's operator must clean up after them. Empty if no object of the module was
 * ever written.
 */
const blockers = (manifest: Manifest) => {
  const kind = operatedKind(manifest)
  return kind && !isHandedOver(manifest) && hasBegun(manifest) ? [kind] : 'none'
}

export type Seeing = Looking & {
  readonly context: GatherContext
  readonly on: ClusterName
  /** The declared objects. undefined if they are unknown. */
  readonly manifests: readonly KubeObject[] | undefined
  readonly added: ReadonlySet<ItemKey>
  readonly now: Date
}

export const gatherDependents = async (
  seeing: Seeing,
): Promise<Pick<Installed, 'dependents' | 'defaultKey' | 'isDefaultGone'>> => {
  const { manifest, context, on, manifests, added, now, rival } = seeing
  const ofDefault = await defaultsOf(manifest, seeing)
  const [defaultKey] = ofDefault.map(itemKey)
  // The default object is written once. While the Manifest exists, an object without our label must not count as ours: it would seem to be
  // already written.
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
      // A handed over Manifest applies nothing, so only its live objects are needed.
      ...(isHandedOver(manifest) && { goal: 'delete' as const }),
      items: [...itemsOf(manifest.status?.synced), ...ofDefault],
      added,
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

/**
 * Whether the default object was lost together with its kind. If a user deletes only the default object, its kind and the rest of the
 * module still exist, and the default object is not created again.
 */
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

/** Adds objects that sharers list or need, and the Namespaces in which sharers have objects. */
const withSharers = async (alone: World, seeing: Seeing, defaultKey: ItemKey | undefined): Promise<World> => {
  const { manifest, kyma, client } = seeing
  const sharing = await sharedObjects(alone, seeing)
  const place = kyma ? syncNamespace(kyma) : namespaces.runtime
  const world = besideSharers(alone, sharing, { manifest, syncNamespace: place, defaultKey })
  const looking = { ...sharing, manifest, client, defaultsOf: (other: Manifest) => defaultsOf(other, seeing) }
  const [needed, instances] = await Promise.all([neededByLeaving(world, looking), instancesBesides(world, looking)])
  return {
    ...world,
    // The default object is deleted before everything else, even if a sharer needs it.
    needed: new Map([...needed].filter(([key]) => key !== defaultKey)),
    observed: { ...world.observed, instances },
  }
}

const defaultsOf = async (one: Manifest, { client, manifests = [] }: Seeing): Promise<Item[]> => {
  const resource = defaultObject(one)
  const scope = resource && (await client.scopeOf(resource))
  return defaultItems(one, (object): string => {
    const isClusterScoped = scope === 'cluster' || (scope === 'unserved' && isOfCluster(object, manifests))
    return isClusterScoped ? '' : (object.metadata.namespace ?? namespaceOf({ client }))
  })
}

/** The namespace of objects without a namespace. */
const namespaceOf = ({ client }: Pick<Seeing, 'client'>): string => client.namespace ?? 'default'

/** The API server does not serve the kind, so the scope comes from a definition among the objects. */
const isOfCluster = ({ apiVersion, kind }: KubeObject, objects: readonly KubeObject[]): boolean =>
  objects.some(
    object => definesKind(object, { group: groupOf(apiVersion), kind }) && mapOrEmpty(object.spec).scope === 'Cluster',
  )
