// Peers of a NetworkPolicy that are networks, and the rules that let traffic out to peers.
import { type Network, networkText, withoutNetworks } from '../../../shared/core/network/cidr.ts'

/** networking.k8s.io/v1 NetworkPolicyPeer, as far as it is used here. */
export type Peer = { ipBlock: { cidr: string; except?: string[] } } | { namespaceSelector: object; podSelector: object }

export type EgressRule = { to: readonly Peer[]; ports?: readonly { protocol: string; port: number }[] }

/**
 * One peer per network, without the excepted ones. A network that is excepted as a whole gets no peer, since the API server
 * refuses a network as an exception of itself.
 */
export const ipPeersWithout = (networks: readonly Network[], others: readonly Network[]): Peer[] =>
  networks.flatMap(whole => {
    const left = withoutNetworks(whole, others)
    if (!left) return []
    const except = left.except.map(networkText)
    return [{ ipBlock: { cidr: networkText(left.network), ...(except.length > 0 && { except }) } }]
  })

/** Each network once. */
export const ipPeers = (networks: readonly Network[]): Peer[] =>
  [...new Set(networks.map(networkText))].map(cidr => ({ ipBlock: { cidr } }))

/** No rule without peers: an empty list of peers would allow everything. */
export const egressTo = (to: readonly Peer[], ports?: EgressRule['ports']): EgressRule[] =>
  to.length === 0 ? [] : [{ to, ...(ports && { ports }) }]
