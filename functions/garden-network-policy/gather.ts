// Reads for garden-network-policy: a small number of lists, whatever the number of namespaces.
import { gardenKind } from '../../shared/api/garden.ts'
import { isMap, isText, mapOrEmpty, mapsIn } from '../../shared/core/json/json.ts'
import type { Garden } from '../../shared/core/objects/garden.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { Reads } from '../../shared/kube/client-types.ts'
import { listIfServed } from '../../shared/kube/reading.ts'
import type { GatherContext } from '../../shared/runtime/context.ts'
import { policyRows } from './desired/network-policies.ts'
import type { GardenNetworkPolicySettings } from './settings.ts'
import { type EndpointPort, type Endpoints, isOfShoot, isOwnPolicy, networkPolicyKind, type World } from './world.ts'

const namespaceKind = { apiVersion: 'v1', kind: 'Namespace' }
const clusterKind = { apiVersion: 'extensions.gardener.cloud/v1alpha1', kind: 'Cluster' }

/**
 * The object of the call is ignored; see index.ts. Policies are read before Gardens and namespaces. Otherwise another replica could create
 * a policy for a new namespace between the two reads. This pass would then delete the new policy, because its list lacks the namespace.
 */
export const gather = async (
  _: KubeObject,
  { reads, settings }: Pick<GatherContext<GardenNetworkPolicySettings>, 'reads' | 'settings'>,
): Promise<World> => {
  const policies = await reads.list({
    ...networkPolicyKind,
    keep: policy => (isConcerned(policy) ? policy : undefined),
  })
  const [gardens, namespaces, apiServer, chosen] = await Promise.all([
    listIfServed(reads, gardenKind),
    reads.list({ ...namespaceKind, metadataOnly: true }),
    apiServerEndpoints(reads),
    Promise.all(settings.namespaceSelectors.map(selector => namesOf(reads, selector))),
  ])
  const shoots = namespaces.some(isOfShoot) ? await shootNetworks(reads) : new Map()
  return {
    gardens: gardens as readonly Garden[] | undefined,
    namespaces,
    policies,
    apiServer,
    chosen: new Set(chosen.flat()),
    shoots,
  }
}

const names = new Set(policyRows.map(({ name }) => name))

const isConcerned = (policy: KubeObject): boolean => isOwnPolicy(policy) || names.has(policy.metadata.name)

/** The API server evaluates the selector. */
const namesOf = async (reads: Reads, labelSelector: string): Promise<string[]> => {
  const found = await reads.list({ ...namespaceKind, metadataOnly: true, labelSelector })
  return found.map(({ metadata }) => metadata.name)
}

const apiServerEndpoints = async (reads: Reads): Promise<Endpoints[]> => {
  const ref = { apiVersion: 'v1', kind: 'Endpoints', namespace: 'default', name: 'kubernetes' }
  return mapsIn(mapOrEmpty(await reads.get(ref)).subsets).map(({ addresses, ports }) => ({
    addresses: mapsIn(addresses).flatMap(({ ip }) => (isText(ip) ? ip : [])),
    ports: portsIn(mapsIn(ports)),
  }))
}

/** Ports that differ only in their names are merged. The default protocol is TCP. */
const portsIn = (ports: readonly Record<string, unknown>[]): EndpointPort[] => {
  const plain = ports.flatMap(({ port, protocol }) =>
    typeof port === 'number' ? { port, protocol: isText(protocol) ? protocol : 'TCP' } : [],
  )
  return [...new Map(plain.map(port => [JSON.stringify(port), port])).values()]
}

const shootNetworks = async (reads: Reads): Promise<World['shoots']> => {
  const clusters = (await listIfServed(reads, { ...clusterKind, keep: withNetworksOnly })) ?? []
  return new Map(clusters.map(({ metadata, networks }) => [metadata.name, networks as string[]]))
}

/** Keeps only the networks of the shoot. A Cluster without networks counts as absent. */
const withNetworksOnly = ({ spec, ...cluster }: KubeObject): KubeObject | undefined => {
  const shoot = mapOrEmpty(mapOrEmpty(spec).shoot)
  const networks = [shoot.spec, shoot.status].flatMap(part => (isMap(part) ? networksIn(part.networking) : []))
  return networks.length > 0 ? { ...cluster, networks } : undefined
}

/** Networks in the spec are a text with one CIDR, networks in the status a list. */
const networksIn = (networking: unknown): string[] =>
  isMap(networking) ? ['nodes', 'pods', 'services'].flatMap(field => networking[field] ?? []).map(String) : []
