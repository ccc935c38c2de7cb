// Reads what a Manifest leads to: its Kyma, the cluster of its module, the layer, and the live objects.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { kymaKind, manifestKind } from '../../shared/api/kyma.ts'
import type { Item } from '../../shared/component/inventory/item.ts'
import { itemsOf } from '../../shared/component/inventory/stored-inventory.ts'
import { errorText } from '../../shared/core/error-text.ts'
import { mapOrEmpty } from '../../shared/core/json.ts'
import { isLabelValue } from '../../shared/core/label.ts'
import { type ClusterName, groupOf, isDeleting, type Key, type KubeObject, keyOf } from '../../shared/core/object.ts'
import type { Client } from '../../shared/kube/client-types.ts'
import { AccessError, ConnectionError, isTrouble } from '../../shared/kube/errors.ts'
import type { Kyma, Manifest } from '../../shared/kyma/kinds.ts'
import { isOn, isPickedUp } from '../../shared/kyma/labels.ts'
import { isRemote, runtimeName } from '../../shared/kyma/remote.ts'
import { type LayerType, layerTypes } from '../../shared/render/layer.ts'
import { retriableIn } from '../../shared/runtime/component/definition/retriable.ts'
import { dependents } from '../../shared/runtime/component.ts'
import type { BegunCall, GatherContext } from '../../shared/runtime/context.ts'
import type { CallScope } from '../../shared/runtime/definition.ts'
import { type Layers, layersOf } from '../../shared/runtime/layers.ts'
import { RendererBusy } from '../../shared/runtime/renderer/renderer.ts'
import { defaultObject, engineName, moduleDeletePriorities, moduleObjects } from './desired/module-objects.ts'
import { layerFault, unknownLayerType } from './reasons.ts'
import { moduleReadiness } from './rules/readiness.ts'
import { createdItems, ownFinalizers } from './rules/standing.ts'
import type { Fault, Found, World } from './world.ts'

/** What all passes of a call share. */
export type ManifestCall = CallScope & { readonly layers: Layers; readonly now: () => Date }

export const manifestCall = (call: BegunCall): ManifestCall => ({ layers: layersOf(call), now: call.now })

const { labels, fieldManagers } = kymaNames

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

/** All objects of the default object's kind: the module's operator must clean up behind them. */
const blockers = ({ spec: { resource } }: Manifest) => {
  const [group = '', version] = String(resource?.apiVersion ?? '').split('/')
  return resource ? [{ group: version === undefined ? '' : group, kind: String(resource.kind) }] : 'none'
}

export const gather = async (object: KubeObject, context: GatherContext, call: ManifestCall): Promise<World> => {
  const manifest = object as Manifest
  return {
    manifest,
    requeue: context.installation.kyma.requeue.manifest,
    found: await found({ manifest, context, call }),
  }
}

type Looking = { readonly manifest: Manifest; readonly context: GatherContext; readonly call: ManifestCall }

const found = async (looking: Looking): Promise<Found> => {
  const { manifest, context } = looking
  if (!isPickedUp(manifest)) return { is: 'leftAlone' }
  const kyma = await kymaOf(manifest, context)
  const isKymaGoing = kyma !== undefined && isDeleting(kyma)
  if (isOn(manifest, labels.skipReconciliation) && !isKymaGoing) return { is: 'leftAlone' }
  if (isDeleting(manifest) && ownFinalizers(manifest).length === 0) return { is: 'released' }
  const on: ClusterName = kyma && !isRemote(kyma) ? 'local' : runtimeName(kymaNameOf(manifest))
  try {
    return await installed(looking, on)
  } catch (error) {
    return failed(error, looking, on)
  }
}

const kymaNameOf = ({ metadata }: Manifest): string => metadata.labels?.[labels.kymaName] ?? ''

const kymaOf = async (manifest: Manifest, { reads }: GatherContext): Promise<Kyma | undefined> => {
  const [name, { namespace = '' }] = [kymaNameOf(manifest), manifest.metadata]
  return name === '' ? undefined : ((await reads.get({ ...kymaKind, namespace, name })) as Kyma | undefined)
}

const installed = async (looking: Looking, on: ClusterName): Promise<Found> => {
  const { manifest, context, call } = looking
  const client = await context.clusters.of(on)
  const layer = await layerOf(looking)
  if ('fault' in layer && !isDeleting(manifest)) return { is: 'failed', fault: layer.fault }
  const unread = 'fault' in layer ? layer.fault : undefined
  const manifests = 'fault' in layer ? undefined : moduleObjects(manifest, layer.objects)
  const items = await itemsIn(manifest, client, manifests ?? [])
  const gathering = { ...context, manifests, items, on, namespace: 'default', now: call.now() }
  const world = await engine.gather(gathering, manifest)
  return { is: 'installed', dependents: world, layerDigest: digestOf(manifest), unreadLayer: unread }
}

/** What status.synced lists, and the default object. */
const itemsIn = async (manifest: Manifest, client: Client, objects: readonly KubeObject[]): Promise<Item[]> => {
  const resource = defaultObject(manifest)
  const scope = resource && (await client.scopeOf(resource))
  const isClusterScoped = (one: KubeObject) =>
    scope === 'cluster' || (scope === 'unserved' && isOfCluster(one, objects))
  return [...itemsOf(manifest.status?.synced), ...createdItems(manifest, isClusterScoped)]
}

/** A definition among the objects says so: its kind was served before, or will be. */
const isOfCluster = ({ apiVersion, kind }: KubeObject, objects: readonly KubeObject[]): boolean =>
  objects.some(({ kind: defines, spec }) => {
    const { group, names, scope } = mapOrEmpty(spec)
    const isMeant = group === groupOf(apiVersion) && mapOrEmpty(names).kind === kind
    return defines === 'CustomResourceDefinition' && isMeant && scope === 'Cluster'
  })

type Read = { readonly objects: readonly KubeObject[] } | { readonly fault: Fault }

const digestOf = ({ spec }: Manifest): string => String(spec.install.source.ref ?? '')

const layerOf = async ({ manifest, call }: Looking): Promise<Read> => {
  const { repo, name, ref, type } = manifest.spec.install.source
  if (!isLayerType(type)) return { fault: { text: unknownLayerType(type), isOutside: false, isOfLayer: true } }
  try {
    const repository = `${repo}/component-descriptors/${name}`
    return { objects: await call.layers.objects({ repository, digest: String(ref), type }) }
  } catch (error) {
    if (error instanceof RendererBusy) throw error
    const isOutside = retriableIn(error) !== undefined
    return { fault: { text: layerFault(errorText(error)), isOutside, isOfLayer: true } }
  }
}

const isLayerType = (type: unknown): type is LayerType => layerTypes.some(known => known === type)

/** Throws if the local API server is in trouble, or the call's time is up: then there is nothing to say. */
const failed = (error: unknown, { manifest }: Looking, on: ClusterName): Found => {
  if (error instanceof RendererBusy) return { is: 'postponed', seconds: error.seconds, because: error.message }
  if (error instanceof AccessError && error.reason === 'Missing' && isDeleting(manifest)) return { is: 'cutOff' }
  if (error instanceof ConnectionError && error.loss === 'ended') throw error
  const isOutside = isTrouble(error)
  if (isOutside && on === 'local') throw error
  return { is: 'failed', fault: { text: errorText(error), isOutside } }
}

/** An access Secret concerns all Manifests of its Kyma. */
export const manifestsOfSecret = async ({ metadata }: KubeObject, { reads }: GatherContext): Promise<Key[]> => {
  const name = metadata.labels?.[labels.kymaName] ?? ''
  if (!isLabelValue(name)) return []
  const { namespace } = metadata
  const labelSelector = `${labels.kymaName}=${name}`
  return (await reads.list({ ...manifestKind, namespace, labelSelector, metadataOnly: true })).map(keyOf)
}
