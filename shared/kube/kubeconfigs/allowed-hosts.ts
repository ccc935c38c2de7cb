// Decides which hosts a kubeconfig from a Secret may use. A host name is checked as written, and again by its resolved addresses. Only the
// checked addresses are used, so a name server cannot bypass the check by changing its answer.
import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { BoundedCache } from '../../core/memory/bounded-cache.ts'
import { containsNetwork, type Network, parseAddress, parseNetwork } from '../../core/network/cidr.ts'
import { AccessError } from '../errors.ts'

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

export type Resolve = (
  name: string,
  options: { all: true; family?: number | 'IPv4' | 'IPv6'; hints?: number },
  callback: Resolved,
) => void

type Resolved = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void

type Lane = 'new' | 'quick' | 'slow'

type Lookup = {
  readonly id: string
  readonly name: string
  readonly options: Parameters<Resolve>[1]
  readonly callbacks: Resolved[]
}

/** A lookup that takes longer is slow. A healthy name server needs one percent of this time. */
const slowMilliseconds = 1_000

/** How long a host counts as slow after a slow lookup. */
const slowForMilliseconds = 3_600_000

const hostsMost = 1_000

/**
 * A lookup occupies one of libuv's four threads, which this process also needs for files. A hostile name server can block this thread for
 * half a minute. So at most three lookups run: one for new hosts, one for quick hosts, and one for slow hosts.
 */
export const lookupsInLanes = (resolve: Resolve, now: () => number): Resolve => {
  const quick = new BoundedCache<string, true>(hostsMost)
  const slowUntil = new BoundedCache<string, number>(hostsMost)
  const waiting: Readonly<Record<Lane, Lookup[]>> = { new: [], quick: [], slow: [] }
  const busy = new Set<Lane>()
  /** Concurrent requests for the same name share one lookup. */
  const pending = new Map<string, Lookup>()

  const laneOf = (name: string): Lane => {
    if (now() < (slowUntil.get(name) ?? 0)) return 'slow'
    return quick.get(name) ? 'quick' : 'new'
  }
  const note = (name: string, milliseconds: number): void => {
    if (milliseconds > slowMilliseconds) slowUntil.set(name, now() + slowForMilliseconds)
    else quick.set(name, true)
  }
  const beginNext = (lane: Lane): void => {
    const lookup = busy.has(lane) ? undefined : waiting[lane].shift()
    if (lookup === undefined) return
    const { id, name, options, callbacks } = lookup
    const begun = now()
    busy.add(lane)
    resolve(name, options, (error, addresses) => {
      busy.delete(lane)
      pending.delete(id)
      note(name, now() - begun)
      beginNext(lane)
      for (const callback of callbacks) callback(error, addresses)
    })
  }
  return (name, options, callback) => {
    const id = JSON.stringify([name, options.family, options.hints])
    const begun = pending.get(id)
    if (begun) return void begun.callbacks.push(callback)
    const lookup = { id, name, options, callbacks: [callback] }
    pending.set(id, lookup)
    const lane = laneOf(name)
    waiting[lane].push(lookup)
    beginNext(lane)
  }
}

const hostLookups: Resolve = lookupsInLanes(
  (name, options, callback) => systemLookup(name, options, callback),
  () => performance.now(),
)
