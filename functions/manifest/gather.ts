// Reads what a Manifest leads to: its Kyma, the cluster of its module, the layer, and the live objects.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { kymaKind, manifestKind } from '../../shared/api/kyma.ts'
import { isLabelValue } from '../../shared/core/objects/label.ts'
import { type ClusterName, isDeleting, type Key, type KubeObject, keyOf } from '../../shared/core/objects/object.ts'
import { errorText } from '../../shared/core/text/error-text.ts'
import type { Client, Reads } from '../../shared/kube/client-types.ts'
import { AccessError, ConnectionError, isTrouble } from '../../shared/kube/errors.ts'
import { ownFinalizers } from '../../shared/kyma/finalizers.ts'
import type { Kyma, Manifest } from '../../shared/kyma/kinds.ts'
import { isRemote, runtimeName, syncNamespace } from '../../shared/kyma/kyma-runtime.ts'
import { isOn, isPickedUp, kymaNameOf } from '../../shared/kyma/labels.ts'
import { runtimeTaken } from '../../shared/kyma/rivals.ts'
import type { BegunCall, GatherContext } from '../../shared/runtime/context.ts'
import { type Layers, layersOf } from '../../shared/runtime/layers.ts'
import { type Marking, markingFor } from '../../shared/runtime/marks.ts'
import { RendererBusy } from '../../shared/runtime/renderer/renderer.ts'
import { readCopy, rivalOf } from '../../shared/runtime/rivals.ts'
import { moduleObjects } from './desired/module-objects.ts'
import { pullSecretVariable, variableTwice } from './desired/pull-secret.ts'
import { gatherDependents, type Seeing } from './gather/dependents.ts'
import { firstPods } from './gather/first-pods.ts'
import { foundDefinitionFault } from './gather/found-definitions.ts'
import { withFoundNamespaces } from './gather/found-namespaces.ts'
import { layerDigest, readLayer } from './gather/layer.ts'
import { variableTaken } from './reasons.ts'
import { unownedDefinitions } from './rules/definitions-of-others.ts'
import { isOrphanReported, orphanFault } from './rules/orphans.ts'
import { isStarting } from './rules/readiness.ts'
import { ownsAny } from './rules/sharers.ts'
import { isHandedOver, isReady } from './rules/standing.ts'
import type { Fault, Found, Installed, World } from './world.ts'

/** What all passes of a call share. */
export type ManifestCall = {
  readonly layers: Layers
  readonly marking: Marking
  readonly now: () => Date
}

export const manifestCall = (call: BegunCall): ManifestCall => ({
  layers: layersOf(call),
  marking: markingFor('manifest', call),
  now: call.now,
})

const { labels } = kymaNames

export const gather = async (object: KubeObject, context: GatherContext, call: ManifestCall): Promise<World> => {
  const manifest = object as Manifest
  const { reads, errors } = noted(context.reads)
  return {
    manifest,
    requeue: context.installation.kyma.requeue.manifest,
    found: await found({ manifest, context: { ...context, reads }, call, ofControlPlane: errors }),
  }
}

type Called = {
  readonly manifest: Manifest
  readonly context: GatherContext
  readonly call: ManifestCall
  /** Errors of reads in the control plane: by themselves they do not tell in which cluster they happened. */
  readonly ofControlPlane: WeakSet<object>
}
type Looking = Called & { readonly kyma: Kyma | undefined }

const found = async (called: Called): Promise<Found> => {
  const { manifest, context, call } = called
  if (!isPickedUp(manifest)) return { is: 'leftAlone' }
  const kyma = await kymaOf(manifest, context)
  const isKymaGoing = kyma !== undefined && isDeleting(kyma)
  if (isOn(manifest, labels.skipReconciliation) && !isKymaGoing) return { is: 'leftAlone' }
  if (isDeleting(manifest) && ownFinalizers(manifest).length === 0) return { is: 'released' }
  const orphan = orphanFault(manifest, kyma, call.now())
  if (orphan !== undefined) return { is: 'failed', fault: { text: orphan, needs: 'time' } }
  const on: ClusterName = kyma && !isRemote(kyma) ? 'local' : runtimeName(kymaNameOf(manifest))
  try {
    return await installed({ ...called, kyma }, on)
  } catch (error) {
    return failed(error, called, on)
  }
}

const noted = (reads: Reads): { readonly reads: Reads; readonly errors: WeakSet<object> } => {
  const errors = new WeakSet<object>()
  const noting = (error: object) => {
    errors.add(error)
    throw error
  }
  return {
    errors,
    reads: {
      get: (ref, options) => reads.get(ref, options).catch(noting),
      list: query => reads.list(query).catch(noting),
    },
  }
}

const kymaOf = async (manifest: Manifest, { reads }: GatherContext): Promise<Kyma | undefined> => {
  const [name, { namespace = '' }] = [kymaNameOf(manifest), manifest.metadata]
  return name === '' ? undefined : ((await reads.get({ ...kymaKind, namespace, name })) as Kyma | undefined)
}

const installed = async (looking: Looking, on: ClusterName): Promise<Found> => {
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

/** Nothing is adopted any more. */
const isGoing = (manifest: Manifest): boolean => isDeleting(manifest) || isHandedOver(manifest)

/**
 * The runtime is another Kyma's by now, so nothing is written there. A Manifest that is deleted still takes along what it put there while
 * its own Kyma had the runtime.
 */
const inRuntimeOf = async (rival: Key, there: Omit<Seeing, 'manifests'>): Promise<Found> => {
  if (!isDeleting(there.manifest)) return { is: 'failed', fault: { text: runtimeTaken(rival), needs: 'outside' } }
  if (isHandedOver(there.manifest)) return { is: 'cutOff' }
  const found = await seen({ ...there, rival, manifests: undefined })
  return ownsAny(found.dependents) ? found : { is: 'cutOff' }
}

type Declared = Pick<Seeing, 'manifests'> | { readonly fault: Fault }

/** At the deletion it may be unknown: then nothing is repaired. */
const declaredBy = async ({
  manifest,
  context,
  client,
  call,
}: Looking & { readonly client: Client }): Promise<Declared> => {
  if (isHandedOver(manifest)) return { manifests: undefined }
  const layer = await readLayer({ manifest, context, client, layers: call.layers })
  if ('fault' in layer) return isDeleting(manifest) ? { manifests: undefined } : layer
  const { pullSecret } = context.installation.kyma
  const taken = pullSecret === undefined ? [] : variableTwice(layer.objects, manifest)
  if (taken.length > 0 && !isDeleting(manifest))
    return { fault: { text: variableTaken(pullSecretVariable, taken), needs: 'time' } }
  const objects = moduleObjects(manifest, { layer: layer.objects, pullSecret })
  return { manifests: await withFoundNamespaces(objects, client) }
}

const seen = async (seeing: Seeing): Promise<Installed> => {
  const { manifest, client, manifests } = seeing
  const there = await gatherDependents(seeing)
  const starting = [...there.dependents.observed.live.values()].filter(object => isStarting(object, manifest))
  const pods = await firstPods(client, starting)
  const isLayerUnread = manifests === undefined
  return { is: 'installed', ...there, layerDigest: layerDigest(manifest), firstPods: pods, isLayerUnread }
}

/** Another Kyma that has the runtime, and this one's namespace there. */
const rivalIn = async (client: Client, { manifest, kyma, context }: Looking): Promise<Key | undefined> => {
  const copy = await readCopy(client, kyma ? syncNamespace(kyma) : kymaNames.namespaces.runtime)
  const { namespace = '' } = manifest.metadata
  return rivalOf({ namespace, name: kymaNameOf(manifest) }, { ...context, client, copy })
}

/** Throws if the local API server is in trouble, or the call's time is up: then there is nothing to say. */
const failed = (error: unknown, { manifest, ofControlPlane }: Called, on: ClusterName): Found => {
  if (error instanceof RendererBusy) return { is: 'postponed', seconds: error.seconds, because: error.message }
  if (error instanceof ConnectionError && error.loss === 'ended') throw error
  const isOfControlPlane = on === 'local' || ofControlPlane.has(error as object)
  if (isOfControlPlane && isTrouble(error)) throw error
  const text = errorText(error)
  if (!(error instanceof AccessError)) return { is: 'failed', fault: { text, needs: 'outside' } }
  if (error.reason === 'Missing' && isDeleting(manifest)) return { is: 'cutOff' }
  return { is: 'failed', fault: { text, needs: 'person' } }
}

/**
 * An access Secret concerns all Manifests of its Kyma. The Kyma itself concerns those that said they are orphans, since its status may name
 * them by now, and those with the label skip-reconciliation, which no longer counts when the Kyma is being deleted.
 */
export const manifestsOf = async (object: KubeObject, { reads }: GatherContext): Promise<Key[]> => {
  const isKyma = object.kind === kymaKind.kind
  const name = isKyma ? object.metadata.name : kymaNameOf(object)
  if (!isLabelValue(name)) return []
  const { namespace } = object.metadata
  const manifests = await reads.list({ ...manifestKind, namespace, labelSelector: `${labels.kymaName}=${name}` })
  const isMeant = (manifest: KubeObject) =>
    !isKyma || isOrphanReported(manifest as Manifest) || isOn(manifest, labels.skipReconciliation)
  return manifests.filter(isMeant).map(keyOf)
}
