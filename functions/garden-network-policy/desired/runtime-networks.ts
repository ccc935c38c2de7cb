// The networks of the runtime cluster, from the Garden's spec.
import { type Family, type Network, parseNetwork } from '../../../shared/core/network/cidr.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'

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
