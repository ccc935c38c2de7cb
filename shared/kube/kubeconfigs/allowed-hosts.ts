// Decides which hosts a kubeconfig from a Secret may use. A host name is checked as written, and again by its resolved addresses. Only the
// checked addresses are used, so a name server that changes its answer gains nothing.
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { AccessError } from '../errors.ts'
import { hostLookups, type Resolve } from './host-lookups.ts'

type Network = { readonly network: string; readonly prefix: number }

/** Addresses of this machine, link-local addresses and cloud metadata services. A host must be listed exactly to use one. */
const innerNetworks4: readonly Network[] = [
  // Loopback, and "this host", which Linux treats as loopback.
  { network: '127.0.0.0', prefix: 8 },
  { network: '0.0.0.0', prefix: 8 },
  // Link-local addresses, where most clouds serve credentials, and other addresses of credentials.
  { network: '169.254.0.0', prefix: 16 },
  { network: '100.100.100.200', prefix: 32 },
  { network: '168.63.129.16', prefix: 32 },
  { network: '192.0.0.192', prefix: 32 },
]

const innerNetworks6: readonly Network[] = [
  { network: 'fe80::', prefix: 10 },
  // ::, ::1 and deprecated IPv4 notations in IPv6. BlockList itself handles ::ffff:0:0/96.
  { network: '::', prefix: 96 },
  { network: '::ffff:0:0:0', prefix: 96 },
  // Local NAT64. The network chooses the position of the IPv4 address.
  { network: '64:ff9b:1::', prefix: 48 },
  // Credentials of clouds over IPv6.
  { network: 'fd00:ec2::', prefix: 32 },
  { network: 'fd20:ce::254', prefix: 128 },
]

/** IPv6 networks that contain an IPv4 address after the prefix: NAT64 and 6to4. */
const translators: readonly ((groups: string) => Network)[] = [
  groups => ({ network: `64:ff9b::${groups}`, prefix: 96 }),
  groups => ({ network: `2002:${groups}::`, prefix: 16 }),
]

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

/** Whether the address, in any notation, is loopback, link-local or a cloud's address of credentials. */
export const isInner = (address: string): boolean => {
  const plain = address.split('%', 1)[0] ?? ''
  return inner.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
}

/** The host of a URL without brackets and without a dot at the end. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

export const isInnerHost = (host: string): boolean => (isIP(host) ? isInner(host) : /(^|\.)localhost$/.test(host))

/** The reason why the host is not allowed; undefined when it is allowed. Does not contain the host, which may be a secret. */
export const hostFault = (host: string, allowed: readonly string[]): string | undefined => {
  if (isListedExactly(host, allowed)) return undefined
  if (isInnerHost(host))
    return 'is loopback or link-local, or where a cloud keeps credentials, and not listed exactly in the allowed hosts'
  return allowed.some(entry => matches(host, entry))
    ? undefined
    : 'is no allowed host: an operator lists them in serverless.yml (kubeConfigHosts, allowedHosts)'
}

/** A lookup that refuses names with an inner address; undefined for a host that is listed exactly, which may have any address. */
export const guardedLookup = (
  host: string,
  allowed: readonly string[],
  resolve: Resolve = hostLookups,
): LookupFunction | undefined => {
  if (isListedExactly(host, allowed)) return undefined
  return (name, options, callback) => {
    resolve(name, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error || !first) callback(error ?? new AccessError('Missing', 'the name of the host has no address'), '')
      else if (addresses.some(({ address }) => isInner(address))) callback(innerName(name), '')
      else if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

const innerName = (name: string): AccessError =>
  new AccessError(
    'Refused',
    'the name of the host resolves to a loopback or link-local address, or to one where a cloud keeps credentials, and is not listed exactly',
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
