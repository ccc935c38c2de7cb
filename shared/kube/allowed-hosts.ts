// Which hosts a kubeconfig that came as data may lead to. A name is judged twice: as it is written, and by the
// addresses it resolves to at the moment of dialling; exactly the judged addresses are dialled, so that a name server
// which answers differently the second time gains nothing.
import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { AccessError } from './errors.ts'

/** Addresses that lead back to this machine or its neighbours: only a host that is listed exactly may have them. */
const innerNetworks: readonly { network: string; prefix: number }[] = [
  // Loopback, and "this host", which Linux dials as loopback.
  { network: '127.0.0.0', prefix: 8 },
  { network: '0.0.0.0', prefix: 8 },
  // Link-local, where clouds serve credentials.
  { network: '169.254.0.0', prefix: 16 },
  { network: 'fe80::', prefix: 10 },
  // ::, ::1 and the old way to write an IPv4 address in IPv6; ::ffff:0:0/96 is understood by BlockList itself.
  { network: '::', prefix: 96 },
  // The same IPv4 networks behind NAT64 and 6to4.
  { network: '64:ff9b::', prefix: 104 },
  { network: '64:ff9b::7f00:0', prefix: 104 },
  { network: '64:ff9b::a9fe:0', prefix: 112 },
  { network: '2002::', prefix: 24 },
  { network: '2002:7f00::', prefix: 24 },
  { network: '2002:a9fe::', prefix: 32 },
]

const inner = new BlockList()
for (const { network, prefix } of innerNetworks) inner.addSubnet(network, prefix, isIP(network) === 6 ? 'ipv6' : 'ipv4')

/** Loopback or link-local, in whatever notation. */
export const isInner = (address: string): boolean => {
  const plain = address.split('%', 1)[0] ?? ''
  return inner.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
}

/** The host of a URL without brackets and without the dot that ends absolute names. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** Why this host is not allowed, for a sentence; undefined when it is. */
export const hostFault = (host: string, allowed: readonly string[]): string | undefined => {
  if (isListedExactly(host, allowed)) return undefined
  if (isIP(host) ? isInner(host) : /(^|\.)localhost$/.test(host))
    return `leads to "${host}", which is loopback or link-local and not listed exactly in the allowed hosts`
  return allowed.some(entry => matches(host, entry)) ? undefined : `leads to "${host}", which is no allowed host`
}

/**
 * Resolves names to addresses that are neither loopback nor link-local, and refuses the name as a whole when one of
 * its addresses is. undefined for a host that is listed exactly: it may resolve to anything.
 */
export const guardedLookup = (
  host: string,
  allowed: readonly string[],
  resolve: Resolve = systemLookup,
): LookupFunction | undefined => {
  if (isListedExactly(host, allowed)) return undefined
  return (name, options, callback) => {
    resolve(name, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error || !first) callback(error ?? new AccessError('Missing', `"${name}" has no address`), '')
      else if (addresses.some(({ address }) => isInner(address))) callback(innerName(name), '')
      else if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

/** Like dns.lookup with `all`. */
export type Resolve = (
  name: string,
  options: { all: true; family?: number | 'IPv4' | 'IPv6'; hints?: number },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

const innerName = (name: string): AccessError =>
  new AccessError('Refused', `"${name}" resolves to a loopback or link-local address and is not listed exactly`)

const isListedExactly = (host: string, allowed: readonly string[]): boolean =>
  allowed.some(entry => !entry.includes('*') && normalHost(entry) === host)

const matches = (host: string, entry: string): boolean =>
  entry === '*' || (entry.startsWith('*.') && host.endsWith(entry.slice(1).toLowerCase()))

/** An entry as URLs spell hosts: `LOCALHOST`, `::1` and `0x7f.1` mean what they mean in a URL. */
const normalHost = (entry: string): string => {
  const url = URL.parse(`https://${isIP(entry) === 6 ? `[${entry}]` : entry}`)
  return url ? hostOf(url) : entry
}
