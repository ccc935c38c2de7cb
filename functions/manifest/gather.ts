// Reads the Kyma of a Manifest, the cluster of its module, the layer, and the live objects.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { kymaKind } from '../../shared/api/kyma.ts'
import { type ItemKey, itemKey, itemsOf } from '../../shared/component/item.ts'
import { troubleInPods } from '../../shared/component/observed/pod-trouble.ts'
import { mapOrEmpty } from '../../shared/core/json/json.ts'
import { labelSelectorText } from '../../shared/core/objects/label-selector.ts'
import {
  type ClusterName,
  groupOf,
  isDeleting,
  type Key,
  type KubeObject,
  refOf,
  refText,
} from '../../shared/core/objects/object.ts'
import type { ReadClient } from '../../shared/kube/client-types.ts'
import { sharingClusters } from '../../shared/kube/shared-reads.ts'
import {
  isOn,
  isPickedUp,
  type Kyma,
  kymaNameOf,
  type Manifest,
  ownFinalizers,
  withSpec,
} from '../../shared/kyma/kinds.ts'
import { isRemote, runtimeName, runtimeTaken, syncNamespace } from '../../shared/kyma/kyma-runtime.ts'
import { type BegunCall, type GatherContext, withSharedReads } from '../../shared/runtime/context.ts'
import { type Marking, markingFor } from '../../shared/runtime/marks.ts'
import { readCopy, rivalOf } from '../../shared/runtime/rivals.ts'
import { engineName, moduleObjects, pullSecretVariable, variableTwice } from './desired/module-objects.ts'
import { gatherDependents, type Seeing } from './gather/dependents.ts'
import { foundOnError, notedReads } from './gather/failed-reads.ts'
import { foundDefinitionFault, readLayer } from './gather/layer.ts'
import { type Layers, layersOf } from './io/layers.ts'
import { specMissing, variableTaken } from './reasons.ts'
import { isNamed, isOfModules, unownedDefinitions } from './rules/layer-objects.ts'
import { hasNotedLayer, isHandedOver, isNamespace, isReady } from './rules/lifecycle.ts'
import { isLongUnavailable, isStarting } from './rules/readiness.ts'
import { orphanFault, ownsAny } from './rules/sharers.ts'
import type { ManifestSettings } from './settings.ts'
import type { Fault, Found, Installed, World } from './world.ts'

export type ManifestCall = {
  readonly layers: Layers
  readonly marking: Marking
  readonly now: () => Date
  readonly began: Date
  readonly outside: BegunCall['outside']
  /** Keys of objects that the previous pass added to the Manifest. */
  readonly addedIn: (manifest: Manifest) => ReadonlySet<ItemKey>
  /** Whether the annotation of the layer was written since the previous pass of the call: everything else was in order then. */
  readonly isCompleted: (manifest: Manifest) => boolean
}

export const manifestCall = (call: BegunCall): ManifestCall => ({
  layers: layersOf(call),
  marking: markingFor('manifest', call),
  now: call.now,
  began: call.now(),
  outside: call.outside,
  addedIn: addedKeys(),
  isCompleted: completion(),
})

/** Empty in the first pass of a call, because an earlier call may have created the objects. */
const addedKeys = (): ManifestCall['addedIn'] => {
  let before: ReadonlySet<ItemKey> | undefined
  return ({ status }) => {
    const keys = itemsOf(status?.synced).map(itemKey)
    const added = before ? keys.filter(key => !before?.has(key)) : []
    before = new Set(keys)
    return new Set(added)
  }
}

/** Every replica writes the annotation of the layer only after it found nothing else to do, and only for the spec that it read. */
const completion = (): ManifestCall['isCompleted'] => {
  let before: Manifest | undefined
  return manifest => {
    const former = before
    before = manifest
    return former !== undefined && isReady(manifest) && !hasNotedLayer(former) && hasNotedLayer(manifest)
  }
}

const { labels } = kymaNames

export const gather = async (
  object: KubeObject,
  context: GatherContext<ManifestSettings>,
  call: ManifestCall,
): Promise<World> => {
  const manifest = withSpec<Manifest>(object)
  const { memory } = context
  const { reads, errors } = notedReads(withSharedReads(context).reads)
  const clusters = sharingClusters(context.clusters, { reads: memory.reads, outside: call.outside })
  const added = call.addedIn(manifest)
  const looking = { manifest, context: { ...context, reads, clusters }, call, added, ofControlPlane: errors }
  return {
    manifest,
    requeue: context.settings,
    began: call.began,
    found: call.isCompleted(manifest) ? { is: 'inOrder' } : await found(looking),
  }
}

type Called = {
  readonly manifest: Manifest
  readonly context: GatherContext<ManifestSettings>
  readonly call: ManifestCall
  readonly added: ReadonlySet<ItemKey>
  /** Errors of reads in the control plane. */
  readonly ofControlPlane: WeakSet<object>
}
type OfKyma = Called & { readonly kyma: Kyma | undefined }

const found = async (called: Called): Promise<Found> => {
  const { manifest, context, call } = called
  if (!isPickedUp(manifest)) return { is: 'leftAlone' }
  const kyma = await kymaOf(manifest, context)
  const isKymaGoing = kyma !== undefined && isDeleting(kyma)
  if (isOn(manifest, labels.skipReconciliation) && !isKymaGoing) return { is: 'leftAlone' }
  if (isDeleting(manifest) && ownFinalizers(manifest).length === 0) return { is: 'released' }
  const orphan = orphanFault(manifest, kyma, call.now())
  if (orphan !== undefined)
    return { is: 'failed', fault: { text: orphan, needs: 'time', requeue: 'manifest_orphaned' } }
  if (!('install' in manifest.spec))
    return { is: 'failed', fault: { text: specMissing, needs: 'person', requeue: 'manifest_parse_spec' } }
  const on: ClusterName = kyma && !isRemote(kyma) ? 'local' : runtimeName(kymaNameOf(manifest))
  try {
    return await installed({ ...called, kyma }, on)
  } catch (error) {
    return foundOnError(error, { ...called, on })
  }
}

const kymaOf = async (manifest: Manifest, { reads }: GatherContext): Promise<Kyma | undefined> => {
  const [name, { namespace = '' }] = [kymaNameOf(manifest), manifest.metadata]
  const found = name === '' ? undefined : await reads.get({ ...kymaKind, namespace, name })
  return found && withSpec<Kyma>(found)
}

const installed = async (looking: OfKyma, on: ClusterName): Promise<Found> => {
  const { manifest, context, call } = looking
  const client = await context.clusters.of(on)
  const judgedBy = [on, client.reachedBy]
  if (isReady(manifest) && call.marking.isInOrder(manifest, judgedBy)) return { is: 'inOrder' }
  call.marking.begin(manifest).judgedBy(judgedBy)
  const there = { ...looking, on, client, now: call.now() }
  const rival = on === 'local' ? undefined : await rivalIn(client, looking)
  if (rival) return inRuntimeOf(rival, there)
  const declared = await declaredBy(there)
  if ('fault' in declared) return { is: 'failed', ...declared }
  const found = await seen({ ...there, ...declared })
  const fault = isGoing(manifest) ? undefined : await foundDefinitionFault(unownedDefinitions(found.dependents), there)
  return fault ? { is: 'failed', fault } : found
}

/** A Manifest in deletion, or handed over, adopts no objects. */
const isGoing = (manifest: Manifest): boolean => isDeleting(manifest) || isHandedOver(manifest)

/** Another Kyma now has the runtime, so nothing is written there. A deleted Manifest still removes its objects from the runtime. */
const inRuntimeOf = async (rival: Key, there: Omit<Seeing, 'manifests'>): Promise<Found> => {
  if (!isDeleting(there.manifest)) return { is: 'failed', fault: { text: runtimeTaken(rival), needs: 'outside' } }
  if (isHandedOver(there.manifest)) return { is: 'cutOff' }
  const found = await seen({ ...there, rival, manifests: undefined })
  return ownsAny(found.dependents) ? found : { is: 'cutOff' }
}

type Declared = Pick<Seeing, 'manifests'> | { readonly fault: Fault }

/** During a deletion, the declared objects may be unknown. In this case nothing is repaired. */
const declaredBy = async ({
  manifest,
  context,
  client,
  call,
}: OfKyma & { readonly client: ReadClient }): Promise<Declared> => {
  if (isHandedOver(manifest)) return { manifests: undefined }
  const layer = await readLayer({ manifest, context, client, layers: call.layers })
  if ('fault' in layer) return isDeleting(manifest) ? { manifests: undefined } : layer
  const { pullSecret } = context.settings
  const taken = pullSecret === undefined ? [] : variableTwice(layer.objects, manifest)
  if (taken.length > 0 && !isDeleting(manifest))
    return { fault: { text: variableTaken(pullSecretVariable, taken), needs: 'time' } }
  const objects = moduleObjects(manifest, { layer: layer.objects, pullSecret })
  return { manifests: await withFoundNamespaces(objects, client) }
}

const seen = async (seeing: Seeing): Promise<Installed> => {
  const { manifest, client, manifests } = seeing
  const there = await gatherDependents(seeing)
  const live = [...there.dependents.observed.live.values()]
  const [pods, podTroubles] = await Promise.all([
    firstPods(
      client,
      live.filter(object => isStarting(object, manifest)),
    ),
    troublesOf(
      client,
      live.filter(object => isLongUnavailable(object, manifest, seeing.now)),
    ),
  ])
  const isLayerUnread = manifests === undefined
  return { is: 'installed', ...there, firstPods: pods, podTroubles, isLayerUnread }
}

/** The other Kyma that now has the runtime. undefined: there is none. */
const rivalIn = async (client: ReadClient, { manifest, kyma, context }: OfKyma): Promise<Key | undefined> => {
  const copy = await readCopy(client, kyma ? syncNamespace(kyma) : kymaNames.namespaces.runtime)
  const { namespace = '' } = manifest.metadata
  return rivalOf({ namespace, name: kymaNameOf(manifest) }, { ...context, client, copy })
}

// Reads the Namespaces of a module that already exist in its cluster. Example: a module has Namespace `monitoring`, but a user created it a
// year ago. This Namespace stays when the module is deleted.

/** Marks Namespaces that were not created for a module, so that they are never deleted. */
const withFoundNamespaces = (objects: readonly KubeObject[], client: ReadClient): Promise<KubeObject[]> =>
  Promise.all(
    objects.map(async object => {
      if (!isNamespace({ group: groupOf(object.apiVersion), kind: object.kind }) || !isNamed(object)) return object
      const live = await client.get({ ...refOf(object), namespace: '' }, { withManagedFields: true })
      return live && (isKeptNamespace(live) || !isOfModules(live)) ? keptNamespace(object) : object
    }),
  )

const deletePolicy = { key: `${engineName}/delete-policy`, value: 'orphan' }

const keptNamespace = (namespace: KubeObject): KubeObject => {
  const { metadata } = namespace
  const annotations = { ...metadata.annotations, [deletePolicy.key]: deletePolicy.value }
  return { ...namespace, metadata: { ...metadata, annotations } }
}

/** Whether the Namespace stays when its module is deleted. An annotation stores this, because a Manifest has only the Namespace's name. */
const isKeptNamespace = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.[deletePolicy.key] === deletePolicy.value

// Reads the first Pod of each StatefulSet that is not ready. The state of its first container shows whether it is stuck or slow.

/** Pods in the order of their StatefulSets. StatefulSets without a Pod are omitted. */
const firstPods = async (client: ReadClient, statefulSets: readonly KubeObject[]): Promise<KubeObject[]> => {
  const pods = await Promise.all(statefulSets.map(statefulSet => podsOf(client, statefulSet)))
  return pods.flatMap(([first]) => first ?? [])
}

const deploymentsMost = 5

const troublesOf = async (client: ReadClient, deployments: readonly KubeObject[]): Promise<string[]> => {
  const texts = deployments.slice(0, deploymentsMost).map(async deployment => {
    const trouble = troubleInPods(deployment, await podsOf(client, deployment))
    return trouble ? [`${refText(refOf(deployment))}: ${trouble.full}`] : []
  })
  return (await Promise.all(texts)).flat()
}

const podsOf = async (client: ReadClient, { metadata, spec }: KubeObject): Promise<KubeObject[]> => {
  const { matchLabels } = mapOrEmpty(mapOrEmpty(spec).selector)
  const labelSelector = labelSelectorText(mapOrEmpty(matchLabels))
  if (labelSelector === '') return []
  const pods = await client.list({ apiVersion: 'v1', kind: 'Pod', namespace: metadata.namespace, labelSelector })
  return pods.filter(pod => !isDeleting(pod)).sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
}
