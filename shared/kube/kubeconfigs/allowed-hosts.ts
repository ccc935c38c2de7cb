// Decides which hosts a kubeconfig from a Secret may use. A host name is checked as written, and again by its resolved addresses. Only the
// checked addresses are used, so a name server cannot bypass the check by changing its answer.
import { isIP, type LookupFunction } from 'node:net'
import { containsNetwork, type Network, parseAddress, parseNetwork } from '../../core/network/cidr.ts'
import { AccessError } from '../errors.ts'
import { hostLookups, type Resolve } from './host-lookups.ts'

/** Addresses of this machine, link-local addresses and cloud metadata services. Such hosts must be listed exactly. */
const innerNetworks = [
  // Loopback addresses, and "this host", which Linux treats as loopback.
  ...['127.0.0.0/8', '0.0.0.0/8'],
  // Link-local addresses, where most clouds serve credentials, and further addresses where clouds serve credentials.
  ...['169.254.0.0/16', '100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32', 'fe80::/10'],
  // ::, ::1 and deprecated IPv4 notations in IPv6.
  ...['::/96', '::ffff:0:0:0/96'],
  // Local NAT64. The network chooses the position of the IPv4 address.
  '64:ff9b:1::/48',
  // IPv6 addresses where clouds serve credentials.
  ...['fd00:ec2::/32', 'fd20:ce::254/128'],
].flatMap(cidr => parseNetwork(cidr) ?? [])

/** IPv6 networks whose addresses contain an IPv4 address, and the position of the IPv4 address in bits: NAT64 and 6to4. */
const translators = [
  { network: parseNetwork('64:ff9b::/96'), bits: 96n },
  { network: parseNetwork('2002::/16'), bits: 16n },
]

const translated = (address: Network): Network[] =>
  translators.flatMap(({ network, bits }) =>
    network && containsNetwork(network, address)
      ? [{ family: 'IPv4', first: BigInt.asUintN(32, address.first >> (96n - bits)), prefix: 32 } as const]
      : [],
  )

/** Whether the address, in any notation, is loopback, link-local or a cloud's address of credentials. */
export const isInner = (address: string): boolean => {
  const found = parseAddress(address.split('%', 1)[0] ?? '')
  const all = found ? [found, ...translated(found)] : []
  return all.some(one => innerNetworks.some(network => containsNetwork(network, one)))
}

/** The host of a URL without brackets and without a dot at the end. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

export const isInnerHost = (host: string): boolean => (isIP(host) ? isInner(host) : /(^|\.)localhost$/.test(host))

/** The reason why the host is not allowed; undefined when it is allowed. The host may be a secret, so the reason does not contain it. */
export const hostFault = (host: string, allowed: readonly string[]): string | undefined => {
  if (isListedExactly(host, allowed)) return undefined
  if (isInnerHost(host))
    return 'is a loopback or link-local address or a metadata server of a cloud, and the allowed hosts do not list it exactly'
  return allowed.some(entry => matches(host, entry))
    ? undefined
    : 'is not an allowed host: an operator can add it to kubeConfigHosts or allowedHosts in serverless.yml'
}

/** A lookup that refuses names with an inner address; undefined for a host that is listed exactly. */
export const guardedLookup = (
  host: string,
  allowed: readonly string[],
  resolve: Resolve = hostLookups,
): LookupFunction | undefined => {
  if (isListedExactly(host, allowed)) return undefined
  return (name, options, callback) => {
    resolve(name, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error || !first)
        callback(error ?? new AccessError('Missing', 'the host name cannot be resolved to an address'), '')
      else if (addresses.some(({ address }) => isInner(address))) callback(innerName(name), '')
      else if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

const innerName = (name: string): AccessError =>
  new AccessError(
    'Refused',
    'the host name resolves to a loopback or link-local address or to a metadata server of a cloud, and the allowed hosts do not list it exactly',
    name,
  )

const isListedExactly = (host: string, allowed: readonly string[]): boolean =>
  allowed.some(entry => !entry.includes('*') && normalHost(entry) === host)

const matches = (host: string, entry: string): boolean =>
  entry === '*' || (entry.startsWith('*.') && host.endsWith(entry.slice(1).toLowerCase()))

/** The host as URL writes it: `LOCALHOST` → `localhost`, `0x7f.1` → `127.0.0.1`. */
const normalHost = (entry: string): string => {
  const url = URL.parse(`https://${isIP(entry) === 6 ? `[${entry}]` : entry}`)
  return url ? hostOf(url) : entry
}
