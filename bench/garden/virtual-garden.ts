// The virtual garden of a Garden, reached as the function reaches it.
import { withVirtualGarden } from '../../functions/garden-reconcile/gather/virtual-garden.ts'
import { virtualGardenCluster } from '../../functions/garden-reconcile/rules/rotation/virtual-kinds.ts'
import { defaultInstallation } from '../../shared/api/installation.ts'
import type { Client } from '../../shared/kube/client-types.ts'
import { processMemory } from '../../shared/runtime/process-memory.ts'

export const virtualGardenOf = (runtime: Client, virtualGardenAddress: string): Promise<Client> =>
  withVirtualGarden({
    memory: processMemory(),
    clusters: { of: async () => runtime },
    settings: { ...defaultInstallation.garden, virtualGardenAddress },
  }).of(virtualGardenCluster)
