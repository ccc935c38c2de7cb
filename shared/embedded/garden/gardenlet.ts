// A stand-in for the gardenlets of all Seeds, in the virtual garden: an operation that is asked of a Seed counts as done at once, so its
// annotation goes. Nothing is renewed, since these Seeds have nothing to renew.
import { operationAnnotation } from '../../api/garden/operations.ts'
import type { Client } from '../../kube/client-types.ts'
import type { StandIn } from './stand-in.ts'
import { patched } from './writes.ts'

const seeds = { apiVersion: 'core.gardener.cloud/v1beta1', kind: 'Seed' }

export const gardenlet = (client: Client): StandIn => ({
  name: 'gardenlet',
  kinds: [{ ...seeds, client }],
  look: async known => {
    for (const seed of known.all(seeds))
      if (seed.metadata.annotations?.[operationAnnotation] !== undefined)
        await patched({ client, manager: 'gardenlet' }, seed, {
          metadata: { annotations: { [operationAnnotation]: null } },
        })
    return undefined
  },
})
