// Finds installed objects that the inventory lacks, because another program installed them or the inventory was lost. Tells which objects
// belong to the mesh.
import { istioNames } from '../../../shared/api/istio/names.ts'
import { istioKind } from '../../../shared/api/istio.ts'
import { managedTypesOf } from '../../../shared/component/declared/kinds.ts'
import { type Item, itemKey, itemsOf, objectKey } from '../../../shared/component/item.ts'
import { groupOf, type KubeObject, type ObjectRef, refOf, refText } from '../../../shared/core/objects/object.ts'
import { componentLabel, revisionLabel } from '../desired/chart-object.ts'
import { deleteOrderOf, deleteOrders } from '../desired/manifests.ts'
import type { Facts } from '../world.ts'

const { mesh } = istioNames.namespaces

const installedByUsLabel = `${istioNames.prefix}/owner-id`

export const isInstalledByUs = ({ metadata }: KubeObject): boolean =>
  metadata.labels?.[installedByUsLabel] !== undefined

/** The ManagedResource that owns an object, for example `garden/istio`. undefined: none owns the object, or Espalier took it over. */
export const managedResourceOf = (object: KubeObject): string | undefined =>
  isInstalledByUs(object) ? undefined : object.metadata.annotations?.['resources.gardener.cloud/origin']

/**
 * Whether we take over an object of another program. It must have the label of Istio's components, revision `default`, no ManagedResource,
 * and be in istio-system or cluster-scoped. A gateway in another namespace is never taken over, even if the inventory names it: with the
 * Kyma Istio module's definition, users who may edit an Istio may also write its inventory.
 */
export const isInherited = (object: KubeObject): boolean => {
  const { labels = {}, namespace = mesh } = object.metadata
  const revision = labels[revisionLabel] ?? 'default'
  const isOfModule = labels[componentLabel] !== undefined && revision === 'default'
  return isOfModule && namespace === mesh && managedResourceOf(object) === undefined
}

/** All installed objects that this pass read. undefined: this pass read no installed objects. */
export const installedObjects = (facts: Facts): readonly KubeObject[] | undefined => {
  const seen = seenObjects(facts)
  return seen && [...seen.values()]
}

/** One installed object as this pass read it. undefined: it does not exist or is not part of the installation. */
export const installedObject = (facts: Facts, ref: ObjectRef): KubeObject | undefined =>
  seenObjects(facts)?.get(itemKey({ ...ref, group: groupOf(ref.apiVersion) }))

const seenObjects = ({ installation }: Facts): ReadonlyMap<string, KubeObject> | undefined =>
  installation?.is === 'possible' ? installation.dependents.observed.live : undefined

/** The items of the inventory, plus one item for each found object that is not in the inventory. */
export const itemsWith = (items: readonly Item[], found: readonly KubeObject[]): Item[] => {
  const known = new Set(items.map(itemKey))
  const others = found.filter(object => !known.has(objectKey(object)))
  return [...items, ...itemsOf(others.map(storedItem))]
}

const storedItem = (object: KubeObject) => {
  const { apiVersion, kind, metadata } = object
  return {
    group: groupOf(apiVersion),
    version: apiVersion.split('/').at(-1),
    kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    deleteOrder: deleteOrderOf(object),
    managedTypes: managedTypesOf(object),
    phase: 'ScheduledForApplication',
    status: 'InProgress',
  }
}

/** Whether the inventory may be incomplete: it is empty, or has an item that was never applied and may lack our label. */
export const isSearchDue = (items: readonly Item[]): boolean =>
  items.length === 0 || items.some(({ digest }) => digest === '')

export const installationOptions = {
  fieldOwner: istioNames.fieldManagers.operator,
  finalizer: istioNames.finalizer,
  adoptionPolicy: 'Always',
  updatePolicy: 'SsaOverride',
  /** Fields set by hand or with Helm become ours. Fields that only other managers set stay. */
  reclaimedManagers: ['helm', 'kubectl-client-side-apply'],
  /** Effectively never, because each call compares all objects. */
  reapplyInterval: '8760h',
  crdFinalizers: false,
  deletePriorities: deleteOrders,
  /** Part blocking checks for users' resources in every call of a deletion. */
  deletionBlockers: 'none',
} as const

/**
 * `namespace`: the chart's namespace. An object in another namespace would be deleted with the chart, or when a later version of the chart
 * lacks it.
 */
export const foreignObject = (objects: readonly KubeObject[], namespace: string): string | undefined => {
  const foreign = objects.find(object => !isOfMesh(object, [istioNames.namespaces.mesh, namespace]))
  return foreign && `the charts contain ${refText(refOf(foreign))}, which is not part of the mesh`
}

/** Objects and CustomResourceDefinitions of Kyma's own kinds (such as Istio) are not part of the mesh. */
const isOfMesh = (
  { apiVersion, kind, metadata: { name, namespace = '' } }: KubeObject,
  own: readonly string[],
): boolean => {
  if (groupOf(apiVersion) === ofKyma || (kind === 'CustomResourceDefinition' && String(name).endsWith(`.${ofKyma}`)))
    return false
  const isIn = kind === 'Namespace' ? name : namespace
  return isIn === '' || own.includes(isIn)
}

const ofKyma = groupOf(istioKind.apiVersion)
