// Reaches the virtual garden with the kubeconfig in Secret gardener-internal. Steps name this cluster `virtual-garden`. Only rotations and
// changes of encrypted resources read objects there: the encrypted objects, and Seeds.
import { virtualGardenAccess, virtualGardenHost } from '../../../shared/api/garden/virtual-garden.ts'
import type { Reading } from '../../../shared/core/decisions/reading.ts'
import { refText } from '../../../shared/core/objects/object.ts'
import { secretText } from '../../../shared/core/objects/secret-text.ts'
import type { ReadClient, ReadClusters } from '../../../shared/kube/client-types.ts'
import { listIfServed, reading } from '../../../shared/kube/reading.ts'
import { type ServedKind, servedKinds } from '../../../shared/kube/served-kinds.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import type { Objects } from '../rules/objects.ts'
import { type VirtualQuery, virtualGardenCluster, virtualKindText } from '../rules/rotation/virtual-objects.ts'
import type { GardenSettings } from '../settings.ts'

type Reach = Pick<GatherContext<Pick<GardenSettings, 'virtualGardenAddress'>>, 'memory' | 'clusters' | 'settings'>

/** The clusters of a call, including the virtual garden. The kubeconfig of the virtual garden is read once per call. */
export const withVirtualGarden = ({ memory, clusters, settings }: Reach): ReadClusters => {
  let client: Promise<ReadClient> | undefined
  const reach = async (): Promise<ReadClient> => {
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

/** Metadata of the objects of these kinds. undefined if no kind is needed. Omits kinds that are not served. */
export const virtualObjects = async (
  kinds: readonly VirtualQuery[],
  clusters: ReadClusters,
): Promise<Reading<Objects> | undefined> =>
  kinds.length > 0 ? reading(clusters.of(virtualGardenCluster).then(reads => listed(reads, kinds))) : undefined

const listed = async (client: ReadClient, kinds: readonly VirtualQuery[]): Promise<Objects> => {
  const served = kinds.some(({ kind }) => kind === undefined) ? await servedKinds(client) : []
  const lists = await Promise.all(
    kinds.map(async query => {
      const found = query.kind === undefined ? served.find(one => isMeant(one, query)) : query
      if (!found) return []
      const { labelSelector } = query
      const selected = labelSelector === undefined ? {} : { labelSelector }
      const { apiVersion, kind } = found
      const objects = await listIfServed(client, { apiVersion, kind, metadataOnly: true, ...selected })
      return objects ? [[virtualKindText(query), objects] as const] : []
    }),
  )
  return new Map(lists.flat())
}

const isMeant = (served: ServedKind, { plural, group }: { readonly plural: string; readonly group: string }): boolean =>
  served.plural === plural && served.group === group && served.isListable
