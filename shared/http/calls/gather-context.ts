// What one call of a function may read, bound to the call: its deadline, its signal, its trace.
import type { Installation } from '../../api/installation.ts'
import type { BindableClusters, CallBounds } from '../../kube/client-types.ts'
import type { GatherContext } from '../../runtime/definition.ts'

/** For what is no reconcile: the runtime binds the clusters of those itself. */
export const gatherContext = async (
  clusters: BindableClusters,
  { installation, ...bounds }: CallBounds & { installation?: Installation },
): Promise<GatherContext> => {
  const bound = clusters.bound(bounds)
  return { reads: await bound.of('local'), clusters: bound, installation }
}
