// By which of its addresses this machine is found by others of its cluster.
import type { NetworkInterfaceInfo } from 'node:os'

/** As a URL spells it: the first of IPv4, else of IPv6; addresses that hold on one link only lead nowhere. */
export const ownHost = (interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>): string => {
  const all = Object.values(interfaces)
    .flatMap(addresses => addresses ?? [])
    .filter(({ internal }) => !internal)
  const four = all.find(({ family }) => family === 'IPv4')
  const six = all.find(info => info.family === 'IPv6' && info.scopeid === 0)
  return four?.address ?? (six ? `[${six.address}]` : '127.0.0.1')
}
