// A transformer changes all objects of a kustomization in place, and may drop some.
import type { Resource } from '../objects/resource.ts'

export type Transform = (resources: readonly Resource[]) => readonly Resource[]

/** A transformer that looks at each object alone and drops none. */
export const forEach =
  (change: (resource: Resource) => void): Transform =>
  resources => {
    for (const resource of resources) change(resource)
    return resources
  }
