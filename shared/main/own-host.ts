// Chooses the address under which other machines of the cluster reach this one.
import type { NetworkInterfaceInfo } from 'node:os'

/** The first IPv4 address, else the first IPv6 address in brackets; link-local addresses cannot be reached from elsewhere. */
export const ownHost = (interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>): string => {
  const all = Object.values(interfaces)
    .flatMap(addresses => addresses ?? [])
    .filter(({ internal }) => !internal)
  const four = all.find(({ family }) => family === 'IPv4')
  const six = all.find(info => info.family === 'IPv6' && info.scopeid === 0)
  return four?.address ?? (six ? `[${six.address}]` : '127.0.0.1')
}
