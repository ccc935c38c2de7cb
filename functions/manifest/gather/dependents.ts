// Reads the objects of a module in its runtime, by the engine.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { ownerHashOf } from '../../../shared/component/declared/owner.ts'
import { type Item, itemKey, objectKey } from '../../../shared/component/inventory/item.ts'
import { itemsOf } from '../../../shared/component/inventory/stored-inventory.ts'
import { possessionOf } from '../../../shared/component/observed/adoption.ts'
import type { World } from '../../../shared/component/world.ts'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import {
  type ClusterName,
  groupOf,
  isDeleting,
  type Key,
  type KubeObject,
} from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import type { Kyma, Manifest } from '../../../shared/kyma/kinds.ts'
import { syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'
import { dependents } from '../../../shared/runtime/component.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import { defaultObject, engineName, moduleDeletePriorities } from '../desired/module-objects.ts'
import { definesKind, isDefinedByOthers } from '../rules/definitions-of-others.ts'
import { moduleReadiness } from '../rules/readiness.ts'
import { asRemoved, isGroundKept } from '../rules/removal.ts'
import { isWrittenFor } from '../rules/sharing.ts'
import { defaultItems, hasBegun, isHandedOver } from '../rules/standing.ts'
import type { Installed } from '../world.ts'
import { instancesBesides, neededByLeaving } from './leaving.ts'
import { sharedObjects } from './sharing.ts'

const { fieldManagers, namespaces } = kymaNames

const engine = dependents({
  name: engineName,
  options: {
    fieldOwner: fieldManagers.moduleObjects,
    adoptionPolicy: 'Always',
    updatePolicy: 'SsaMerge',
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
  const { resource } = manifest.spec
  return resource && !isHandedOver(manifest) && hasBegun(manifest)
    ? [{ group: groupOf(String(resource.apiVersion)), kind: String(resource.kind) }]
    : 'none'
}

/** What is looked at, and where. */
export type Seeing = {
  readonly manifest: Manifest
  readonly kyma: Kyma | undefined
  readonly context: GatherContext
  readonly on: ClusterName
  readonly client: Client
  /** What is declared; undefined: it is not known. */
  readonly manifests: readonly KubeObject[] | undefined
  readonly now: Date
  /** Another Kyma that has the runtime. */
  readonly rival?: Key
}

export const gatherDependents = async (seeing: Seeing): Promise<Pick<Installed, 'dependents' | 'defaultKey'>> => {
  const { manifest, kyma, context, on, client, manifests, now, rival } = seeing
  const namespace = client.namespace ?? 'default'
  const ofDefault = defaultItems(manifest, await namespaceIn(seeing, namespace))
  const [defaultKey] = ofDefault.map(itemKey)
  // As long as the Manifest lives, the default object counts only once it is labelled: it is written once, and must not seem to be.
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
      namespace,
      ...(manifests && { manifests }),
      // Without manifests only what is there is of interest.
      ...(isHandedOver(manifest) && { wish: 'delete' as const }),
      items: [...itemsOf(manifest.status?.synced), ...ofDefault],
      inherits,
    },
    manifest,
  )
  const sharers = await sharedObjects(world, { manifest, kyma, client, context, rival })
  const { leaving, inhabited, ...sharing } = sharers
  const removing = { syncNamespace: kyma ? syncNamespace(kyma) : namespaces.runtime, defaultKey, inhabited }
  const hasStrangersKind = isDeleting(manifest) && ofDefault.some(item => isDefinedByOthers(item, world))
  const items: Item[] = world.items
    .filter(item => !hasStrangersKind || itemKey(item) !== defaultKey || isLabelled(item, world))
    .map(item => asRemoved(itemKey(item) === defaultKey ? asFound(item, world) : item, removing))
  const settings =
    hasStrangersKind || isGroundKept(items, { ...world, ...sharing })
      ? { ...world.settings, deletionBlockers: 'none' as const }
      : world.settings
  const defaultsOf = async (other: Manifest) =>
    defaultItems(other, await namespaceIn({ ...seeing, manifest: other }, namespace))
  const dependents = { ...world, settings, items, ...sharing }
  const [needed, instances] = await Promise.all([
    neededByLeaving(dependents, { client, leaving, defaultsOf }),
    instancesBesides(dependents, { client, leaving, defaultsOf }),
  ])
  return {
    dependents: {
      ...dependents,
      needed: new Map([...needed].filter(([key]) => key !== defaultKey)),
      observed: { ...world.observed, instances },
    },
    defaultKey,
  }
}

/** It was written for this Manifest. */
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

/** In which namespace the default object is; '': its kind has none. */
const namespaceIn = async ({ manifest, client, manifests = [] }: Seeing, otherwise: string) => {
  const resource = defaultObject(manifest)
  const scope = resource && (await client.scopeOf(resource))
  return (one: KubeObject): string => {
    const isClusterScoped = scope === 'cluster' || (scope === 'unserved' && isOfCluster(one, manifests))
    return isClusterScoped ? '' : (one.metadata.namespace ?? otherwise)
  }
}

/** A definition among the objects says so: its kind was served before, or will be. */
const isOfCluster = ({ apiVersion, kind }: KubeObject, objects: readonly KubeObject[]): boolean =>
  objects.some(
    object => definesKind(object, { group: groupOf(apiVersion), kind }) && mapOrEmpty(object.spec).scope === 'Cluster',
  )
