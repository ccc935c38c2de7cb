// Which hosts a kubeconfig that came as data may lead to. A name is judged twice: as it is written, and by the
// addresses it resolves to at the moment of dialling; exactly the judged addresses are dialled, so that a name server
// which answers differently the second time gains nothing.
import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { AccessError } from '../errors.ts'

type Network = { readonly network: string; readonly prefix: number }

/** Addresses that lead back to this machine or its neighbours, or to credentials: only a host that is listed exactly may have them. */
const innerNetworks4: readonly Network[] = [
  // Loopback, and "this host", which Linux dials as loopback.
  { network: '127.0.0.0', prefix: 8 },
  { network: '0.0.0.0', prefix: 8 },
  // Link-local, where most clouds serve credentials; and the addresses of those that serve them elsewhere.
  { network: '169.254.0.0', prefix: 16 },
  { network: '100.100.100.200', prefix: 32 },
  { network: '168.63.129.16', prefix: 32 },
  { network: '192.0.0.192', prefix: 32 },
]

const innerNetworks6: readonly Network[] = [
  { network: 'fe80::', prefix: 10 },
  // ::, ::1 and the old ways to write an IPv4 address in IPv6; ::ffff:0:0/96 is understood by BlockList itself.
  { network: '::', prefix: 96 },
  { network: '::ffff:0:0:0', prefix: 96 },
  // NAT64 within one network: where the IPv4 address stands in it is that network's own choice.
  { network: '64:ff9b:1::', prefix: 48 },
  // Where clouds serve credentials over IPv6.
  { network: 'fd00:ec2::', prefix: 32 },
  { network: 'fd20:ce::254', prefix: 128 },
]

/** Networks of IPv6 that lead to every address of IPv4, which follows after the prefix: NAT64 and 6to4. */
const translators: readonly ((groups: string) => Network)[] = [
  groups => ({ network: `64:ff9b::${groups}`, prefix: 96 }),
  groups => ({ network: `2002:${groups}::`, prefix: 16 }),
]

/** An IPv4 address as two groups of an IPv6 one. */
const groupsOf = (address: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

const inner = new BlockList()
for (const { network, prefix } of innerNetworks6) inner.addSubnet(network, prefix, 'ipv6')
for (const { network, prefix } of innerNetworks4) {
  inner.addSubnet(network, prefix, 'ipv4')
  for (const translator of translators) {
    const translated = translator(groupsOf(network))
    inner.addSubnet(translated.network, translated.prefix + prefix, 'ipv6')
  }
}

/** Loopback, link-local or where a cloud keeps credentials, in whatever notation. */
export const isInner = (address: string): boolean => {
  const plain = address.split('%', 1)[0] ?? ''
  return inner.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
}

/** The host of a URL without brackets and without the dot that ends absolute names. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** Why this host is not allowed, for a sentence about it; undefined when it is. The host itself may be a secret. */
export const hostFault = (host: string, allowed: readonly string[]): string | undefined => {
  if (isListedExactly(host, allowed)) return undefined
  if (isIP(host) ? isInner(host) : /(^|\.)localhost$/.test(host))
    return 'is loopback or link-local, or where a cloud keeps credentials, and not listed exactly in the allowed hosts'
  return allowed.some(entry => matches(host, entry)) ? undefined : 'is no allowed host'
}

/**
 * Resolves names to addresses that are not inner ones, and refuses the name as a whole when one of its addresses
 * is. undefined for a host that is listed exactly: it may resolve to anything.
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
      if (error || !first) callback(error ?? new AccessError('Missing', 'the name of the host has no address'), '')
      else if (addresses.some(({ address }) => isInner(address))) callback(innerName(), '')
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

const innerName = (): AccessError =>
  new AccessError(
    'Refused',
    'the name of the host resolves to a loopback or link-local address, or to one where a cloud keeps credentials, and is not listed exactly',
  )

const isListedExactly = (host: string, allowed: readonly string[]): boolean =>
  allowed.some(entry => !entry.includes('*') && normalHost(entry) === host)

const matches = (host: string, entry: string): boolean =>
  entry === '*' || (entry.startsWith('*.') && host.endsWith(entry.slice(1).toLowerCase()))

/** An entry as URLs spell hosts: `LOCALHOST`, `::1` and `0x7f.1` mean what they mean in a URL. */
const normalHost = (entry: string): string => {
  const url = URL.parse(`https://${isIP(entry) === 6 ? `[${entry}]` : entry}`)
  return url ? hostOf(url) : entry
}
