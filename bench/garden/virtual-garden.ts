// The virtual garden of a Garden, reached as the function reaches it.
import { withVirtualGarden } from '../../functions/garden-reconcile/gather/virtual-garden.ts'
import { virtualGardenCluster } from '../../functions/garden-reconcile/rules/rotation/virtual-objects.ts'
import type { Client } from '../../shared/kube/client-types.ts'
import { writable } from '../../shared/kube/clusters/read-only.ts'
import { processMemory } from '../../shared/runtime/process-memory.ts'

export const virtualGardenOf = async (runtime: Client, virtualGardenAddress: string): Promise<Client> => {
  const clusters = withVirtualGarden({
    memory: processMemory(),
    clusters: { of: async () => runtime },
    settings: { virtualGardenAddress },
  })
  return writable(await clusters.of(virtualGardenCluster))
}
