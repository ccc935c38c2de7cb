// The six policies as a table: which namespaces get a policy, and which targets its Pods can reach. Before it, the networks of the runtime
// cluster.
import {
  addressAt,
  type Family,
  type Network,
  networkText,
  parseAddress,
  parseNetwork,
  withoutNetworks,
} from '../../../shared/core/network/cidr.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { type Endpoints, networkPolicyKind, owner, ownerLabel } from '../world.ts'

export type RuntimeNetworks = {
  readonly families: readonly Family[]
  readonly services: readonly Network[]
  /** The networks of nodes, Pods and Services. */
  readonly cluster: readonly Network[]
  /** Networks that no component may reach. */
  readonly blocked: readonly Network[]
}

type NetworksRead = { readonly networks: RuntimeNetworks } | { readonly unreadable: readonly string[] }

const lists = ['nodes', 'pods', 'services', 'blockCIDRs'] as const

export const runtimeNetworks = ({ spec }: Garden): NetworksRead => {
  const { networking } = spec.runtimeCluster
  const read = lists.flatMap(list =>
    (networking[list] ?? []).map((cidr, i) => ({
      list,
      network: parseNetwork(cidr),
      field: `${list}[${i}] "${cidr}"`,
    })),
  )
  const unreadable = read.flatMap(({ network, field }) => (network ? [] : [`spec.runtimeCluster.networking.${field}`]))
  if (unreadable.length > 0) return { unreadable }
  const networksIn = (...wanted: readonly (typeof lists)[number][]): Network[] =>
    read.flatMap(({ list, network }) => (network && wanted.includes(list) ? [network] : []))
  return {
    networks: {
      families: families.filter(family => familiesIn(networking.ipFamilies).includes(family)),
      services: networksIn('services'),
      cluster: networksIn('nodes', 'pods', 'services'),
      blocked: networksIn('blockCIDRs'),
    },
  }
}

const families: readonly Family[] = ['IPv4', 'IPv6']

/** An empty list means IPv4, the default that garden-admission sets. A stored Garden may lack this default. */
const familiesIn = (given: readonly string[] = []): readonly string[] => (given.length > 0 ? given : ['IPv4'])

export type Role = 'garden' | 'shoot' | 'extension' | 'istio-system' | 'istio-ingress' | 'exposure-class'

type Surroundings = {
  readonly networks: RuntimeNetworks
  readonly apiServer: readonly Endpoints[]
  readonly shoot: readonly Network[]
}

export type PolicyRow = {
  readonly name: string
  readonly roles: readonly Role[]
  readonly description: string
  /** Absent: the policy selects all Pods, and blocks all their incoming and outgoing traffic. */
  readonly egress?: (surroundings: Surroundings) => readonly EgressRule[]
  readonly dependsOnShoot?: true
}

const istio: readonly Role[] = ['istio-system', 'istio-ingress']
const controlPlanes: readonly Role[] = ['garden', 'shoot', 'extension']

export const policyRows: readonly PolicyRow[] = [
  {
    name: 'deny-all',
    roles: [...controlPlanes, ...istio, 'exposure-class'],
    description: 'Denies all traffic from and to Pods of this namespace that no other policy allows.',
  },
  {
    name: 'allow-to-dns',
    roles: [...controlPlanes, ...istio, 'exposure-class'],
    description: 'Allows Pods with the label to query the DNS servers of the cluster and of their node.',
    egress: ({ networks }) => egressTo(nameServers(networks), namePorts),
  },
  {
    name: 'allow-to-runtime-apiserver',
    roles: [...controlPlanes, ...istio],
    description: 'Allows Pods with the label to call the API server of their cluster.',
    egress: ({ apiServer }) => apiServer.flatMap(endpointsRule),
  },
  {
    name: 'allow-to-public-networks',
    roles: controlPlanes,
    description: 'Allows Pods with the label to connect to public addresses, except blocked ones.',
    egress: ({ networks: { families, cluster, blocked } }) =>
      egressTo(
        families.flatMap(family => ipPeersWithout([everything[family]], [...closed(family, cluster), ...blocked])),
      ),
  },
  {
    name: 'allow-to-private-networks',
    roles: controlPlanes,
    description:
      'Allows Pods with the label to connect to private addresses, except blocked ones and those of this cluster and of a shoot.',
    egress: ({ networks: { families, cluster, blocked }, shoot }) =>
      egressTo(families.flatMap(family => ipPeersWithout(privateNetworks[family], [...cluster, ...blocked, ...shoot]))),
    dependsOnShoot: true,
  },
  {
    name: 'allow-to-blocked-cidrs',
    roles: controlPlanes,
    description: 'Allows Pods with the label to connect to the networks that are blocked for other Pods.',
    egress: ({ networks: { blocked } }) => ipPeers(blocked).flatMap(peer => egressTo([peer])),
  },
]

export const networkPolicySpec = ({ name, egress }: PolicyRow, surroundings: Surroundings): object => {
  if (!egress) return { podSelector: {}, policyTypes: ['Ingress', 'Egress'] }
  const rules = egress(surroundings)
  return {
    podSelector: { matchLabels: { [`networking.gardener.cloud/${name.replace('allow-', '')}`]: 'allowed' } },
    policyTypes: ['Egress'],
    // An empty list is omitted, because the API server would remove it.
    ...(rules.length > 0 && { egress: rules }),
  }
}

export const networkPolicy = (
  row: PolicyRow,
  { namespace, spec }: { namespace: string; spec: object },
): KubeObject => ({
  ...networkPolicyKind,
  metadata: {
    name: row.name,
    namespace,
    labels: { [ownerLabel]: owner },
    annotations: { 'gardener.cloud/description': row.description },
  },
  spec,
})

/** Without ports there is no rule, because an empty list of ports would allow all ports. */
const endpointsRule = ({ addresses, ports }: Endpoints): EgressRule[] =>
  ports.length === 0 ? [] : egressTo(ipPeers(addresses.flatMap(address)), ports)

const networksIn = (...cidrs: readonly string[]): Network[] => cidrs.flatMap(cidr => parseNetwork(cidr) ?? [])

const address = (text: string): Network[] => [parseAddress(text)].flatMap(found => found ?? [])

/** IPv4: RFC 1918 and carrier-grade NAT. IPv6: link-local and unique local. */
const privateNetworks: Record<Family, readonly Network[]> = {
  IPv4: networksIn('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'),
  IPv6: networksIn('fe80::/10', 'fc00::/7'),
}

const everything: Record<Family, Network> = {
  IPv4: { family: 'IPv4', first: 0n, prefix: 0 },
  IPv6: { family: 'IPv6', first: 0n, prefix: 0 },
}

/** Networks of an IPv6 cluster may be public, so they are excluded. Networks of an IPv4 cluster are private anyway. */
const closed = (family: Family, cluster: readonly Network[]): Network[] =>
  family === 'IPv6' ? [...privateNetworks.IPv6, ...cluster] : [...privateNetworks.IPv4]

/** Addresses of the DNS cache on each node. */
const nodeLocal: Record<Family, readonly Network[]> = {
  IPv4: networksIn('169.254.20.10/32'),
  IPv6: networksIn('fd30:1319:f1e:230b::1/128'),
}

const namePorts = [53, 8053].flatMap(port => ['UDP', 'TCP'].map(protocol => ({ protocol, port })))

/** By convention, the name server has the tenth address of each service range. */
const nameServers = ({ families, services }: RuntimeNetworks): Peer[] => [
  ...['kube-dns', 'node-local-dns'].map(app => ({
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
    podSelector: { matchExpressions: [{ key: 'k8s-app', operator: 'In', values: [app] }] },
  })),
  ...ipPeers(services.flatMap(range => addressAt(range, 10) ?? [])),
  ...families.flatMap(family => ipPeers(nodeLocal[family])),
]

/** The part of NetworkPolicyPeer (networking.k8s.io/v1) that is used here. */
type Peer = { ipBlock: { cidr: string; except?: string[] } } | { namespaceSelector: object; podSelector: object }

type EgressRule = { to: readonly Peer[]; ports?: readonly { protocol: string; port: number }[] }

/** A network that is excluded completely gets no peer, because the API server would refuse such a peer. */
const ipPeersWithout = (networks: readonly Network[], others: readonly Network[]): Peer[] =>
  networks.flatMap(whole => {
    const left = withoutNetworks(whole, others)
    if (!left) return []
    const except = left.except.map(networkText)
    return [{ ipBlock: { cidr: networkText(left.network), ...(except.length > 0 && { except }) } }]
  })

/** The peers of the networks, without duplicates. */
const ipPeers = (networks: readonly Network[]): Peer[] =>
  [...new Set(networks.map(networkText))].map(cidr => ({ ipBlock: { cidr } }))

/** Without peers there is no rule, because an empty list of peers would allow all traffic. */
const egressTo = (to: readonly Peer[], ports?: EgressRule['ports']): EgressRule[] =>
  to.length === 0 ? [] : [{ to, ...(ports && { ports }) }]
