// An istiod that somebody else runs. A Garden uses it and leaves all of it alone.
import { mapOrEmpty, mapsIn } from '../../../../shared/core/json.ts'
import type { KubeObject } from '../../../../shared/core/object.ts'
import { findObject } from '../../rules/objects.ts'
import type { World } from '../../world.ts'
import { ownershipLabel, prefixes } from '../parts/names.ts'

/** Where istiod is, and the ManagedResources of the mesh. */
export const istioNamespace = 'istio-system'

const istiod = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: istioNamespace, name: 'istiod' }

/** Neither ours nor of a ManagedResource. */
export const foreignIstiod = ({ runtime }: World): KubeObject | undefined => {
  const found = findObject(runtime, istiod)
  if (found === undefined) return
  const { labels, annotations } = found.metadata
  const isOurs = Object.entries(ownershipLabel).every(([key, value]) => labels?.[key] === value)
  return isOurs || annotations?.[`${prefixes.resources}/origin`] !== undefined ? undefined : found
}

/** Why nothing can rely on it yet. */
export const foreignIstiodWaits = (world: World): readonly string[] => {
  const found = foreignIstiod(world)
  if (found === undefined) return []
  const conditions = mapsIn(mapOrEmpty(found.status).conditions)
  const isAvailable = conditions.some(({ type, status }) => type === 'Available' && status === 'True')
  return isAvailable ? [] : [`Deployment ${istioNamespace}/istiod: is not available`]
}
