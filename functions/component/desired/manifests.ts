// The objects that a Component lists itself.
import { isMap } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'

/** Throws for what is no list: all dependents would be deleted for an empty one. */
export const manifestsIn = (manifests: unknown): KubeObject[] => {
  if (!Array.isArray(manifests) || !manifests.every(isMap))
    throw new TypeError('spec.source.manifests: expected a list of objects')
  return [...manifests] as unknown as KubeObject[]
}
