// The objects that a Component lists itself.
import { isMap } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'

/** Throws if `manifests` is no list of objects. An empty list instead would delete all dependents. */
export const manifestsIn = (manifests: unknown): KubeObject[] => {
  if (!Array.isArray(manifests) || !manifests.every(isMap))
    throw new TypeError('spec.source.manifests: expected a list of objects')
  return [...manifests] as unknown as KubeObject[]
}
