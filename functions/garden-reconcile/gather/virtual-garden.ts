// Reaches the virtual garden with the kubeconfig in Secret gardener-internal; steps name it `virtual-garden`. Only rotations need objects
// from there: the encrypted ones, and Seeds.
import { virtualGardenAccess, virtualGardenHost } from '../../../shared/api/garden/virtual-garden.ts'
import type { GardenInstallation } from '../../../shared/api/installation.ts'
import type { Reading } from '../../../shared/core/decisions/reading.ts'
import { refText } from '../../../shared/core/objects/object.ts'
import { secretText } from '../../../shared/core/objects/secret-text.ts'
import type { Client, Clusters, Reads } from '../../../shared/kube/client-types.ts'
import { listIfServed, reading } from '../../../shared/kube/reading.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import { kindText, type Objects } from '../rules/objects.ts'
import { type VirtualQuery, virtualGardenCluster } from '../rules/rotation/virtual-kinds.ts'

type Reach = Pick<GatherContext, 'memory' | 'clusters'> & { readonly settings: GardenInstallation }

/** The clusters of a call, and the virtual garden beside them. Its kubeconfig is read once per call. */
export const withVirtualGarden = ({ memory, clusters, settings }: Reach): Clusters => {
  let client: Promise<Client> | undefined
  const reach = async (): Promise<Client> => {
    const text = secretText(await (await clusters.of('local')).get(virtualGardenAccess), 'kubeconfig')
    const called = `the kubeconfig of ${refText(virtualGardenAccess)}`
    const dialAt = settings.virtualGardenAddress
    return memory.remoteClient({ text, called, allowedHosts: [virtualGardenHost], dialAt })
  }
  const virtual = () => {
    client ??= reach()
    return client
  }
  return { ...clusters, of: name => (name === virtualGardenCluster ? virtual() : clusters.of(name)) }
}

/** Metadata of the objects of these kinds; undefined if no kind is needed. Kinds that are not served are left out. */
export const virtualObjects = async (
  kinds: readonly VirtualQuery[],
  clusters: Clusters,
): Promise<Reading<Objects> | undefined> =>
  kinds.length > 0 ? reading(clusters.of(virtualGardenCluster).then(reads => listed(reads, kinds))) : undefined

const listed = async (reads: Reads, kinds: readonly VirtualQuery[]): Promise<Objects> => {
  const lists = await Promise.all(
    kinds.map(async ({ apiVersion, kind, labelSelector }) => {
      const selected = labelSelector === undefined ? {} : { labelSelector }
      const objects = await listIfServed(reads, { apiVersion, kind, metadataOnly: true, ...selected })
      return [kindText({ apiVersion, kind }), objects] as const
    }),
  )
  return new Map(lists.flatMap(([kind, objects]) => (objects ? [[kind, objects]] : [])))
}
