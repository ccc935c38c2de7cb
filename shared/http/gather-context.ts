// The clusters as one call may use them: every request obeys its deadline and carries its trace.
import type { Clusters } from '../kube/client-types.ts'
import type { GatherContext } from '../runtime/definition.ts'

export type Bounds = { signal: AbortSignal; deadline: number; traceparent: string }

/** For what is no reconcile: the runtime binds the clusters of those itself. */
export const gatherContext = async (clusters: Clusters, bounds: Bounds): Promise<GatherContext> => {
  const bound: Clusters = { of: async name => (await clusters.of(name)).bound(bounds) }
  return { reads: await bound.of('local'), clusters: bound }
}
