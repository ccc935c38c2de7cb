// Chooses the address of this machine for other machines of the cluster.
import type { NetworkInterfaceInfo } from 'node:os'

/** The first IPv4 address, otherwise the first IPv6 address in brackets. Other machines cannot reach link-local addresses. */
export const ownHost = (interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>): string => {
  const all = Object.values(interfaces)
    .flatMap(addresses => addresses ?? [])
    .filter(({ internal }) => !internal)
  const four = all.find(({ family }) => family === 'IPv4')
  const six = all.find(info => info.family === 'IPv6' && info.scopeid === 0)
  return four?.address ?? (six ? `[${six.address}]` : '127.0.0.1')
}
