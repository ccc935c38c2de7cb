// Components of the runtime cluster that the Garden or the installation switches on or off, and a mesh that is already there.
import { managedResourceKind } from '../../../../shared/api/garden/kinds.ts'
import { istioNames } from '../../../../shared/api/istio/names.ts'
import { istioKind } from '../../../../shared/api/istio.ts'
import { mapOrEmpty, mapsIn } from '../../../../shared/core/json/json.ts'
import { type KubeObject, refOf, refText } from '../../../../shared/core/objects/object.ts'
import { findObject, objectsOf, servesKind } from '../../rules/objects.ts'
import type { GardenFeatureGate } from '../../settings.ts'
import type { World } from '../../world.ts'
import { ownershipLabel, prefixes } from '../parts/names.ts'

export const hasGate = ({ settings }: World, gate: GardenFeatureGate): boolean => settings.featureGates.includes(gate)

/** Whether the Garden installs the VerticalPodAutoscaler, which all its workloads need. Otherwise the cluster must already have one. */
export const needsVpa = ({ garden }: World): boolean =>
  garden.spec.runtimeCluster.settings?.verticalPodAutoscaler?.enabled ?? true

const verticalPodAutoscaler = { apiVersion: 'autoscaling.k8s.io/v1', kind: 'VerticalPodAutoscaler' }

export const vpaFaults = (world: World): readonly string[] =>
  needsVpa(world) || servesKind(world.runtime, verticalPodAutoscaler)
    ? []
    : ['VPA is required for runtime cluster but CRD is not installed']

export const istioNamespace = 'istio-system'

/** The ManagedResource of a mesh that a Garden created. */
export const ownMesh = 'istio-system'

const istiod = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: istioNamespace, name: 'istiod' }

/**
 * A foreign mesh is used, and nothing in it is changed. An Istio counts as a mesh even before its istiod exists. Otherwise the functions istio
 * and garden-reconcile might both create a mesh.
 */
export const isMeshForeign = (world: World): boolean =>
  foreignIstiod(world) !== undefined || comingIstio(world) !== undefined

/** An istiod that is neither ours nor part of a ManagedResource. */
const foreignIstiod = ({ runtime }: World): KubeObject | undefined => {
  const found = findObject(runtime, istiod)
  if (found === undefined) return
  const { labels, annotations } = found.metadata
  const isOurs = Object.entries(ownershipLabel).every(([key, value]) => labels?.[key] === value)
  return isOurs || annotations?.[`${prefixes.resources}/origin`] !== undefined ? undefined : found
}

/** An Istio without an istiod, in a cluster in which we created no mesh. */
export const comingIstio = ({ runtime }: World): KubeObject | undefined => {
  const own = { ...managedResourceKind, namespace: istioNamespace, name: ownMesh }
  if (findObject(runtime, istiod) || findObject(runtime, own)) return
  return objectsOf(runtime, istioKind).find(({ metadata }) => metadata.namespace === istioNames.namespaces.control)
}

export const foreignIstiodWaits = (world: World): readonly string[] => {
  const [found, coming] = [foreignIstiod(world), comingIstio(world)]
  if (coming) return [`${refText(istiod)}: does not exist yet; ${refText(refOf(coming))} installs it`]
  if (found === undefined) return []
  const conditions = mapsIn(mapOrEmpty(found.status).conditions)
  const isAvailable = conditions.some(({ type, status }) => type === 'Available' && status === 'True')
  return isAvailable ? [] : [`${refText(istiod)}: is not available`]
}
