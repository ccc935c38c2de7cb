// Parses, compares and subtracts IPv4 and IPv6 networks, and writes them as Kubernetes does.

export type Family = 'IPv4' | 'IPv6'

/** All addresses that share the first `prefix` bits of `first`. The other bits of `first` are zero. */
export type Network = { readonly family: Family; readonly first: bigint; readonly prefix: number }

const bitsOf: Record<Family, number> = { IPv4: 32, IPv6: 128 }

/** Bits after the prefix are dropped. undefined when the text is not a CIDR such as `10.0.0.0/8`. */
export const parseNetwork = (cidr: string): Network | undefined => {
  const [address = '', length = '', ...rest] = cidr.split('/')
  const single = parseSpelled(address)
  const prefix = /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN
  if (!single || rest.length > 0 || !(prefix <= single.prefix)) return undefined
  const tail = BigInt(single.prefix - prefix)
  return unmapped({ ...single, first: (single.first >> tail) << tail, prefix })
}

export const parseAddress = (text: string): Network | undefined => {
  const single = parseSpelled(text)
  return single && unmapped(single)
}

const parseSpelled = (text: string): Network | undefined => {
  const bytes = addressBytes(text)
  if (!bytes) return undefined
  const family = bytes.length === 4 ? 'IPv4' : 'IPv6'
  return { family, first: BigInt(`0x${Buffer.from(bytes).toString('hex')}`), prefix: bitsOf[family] }
}

/** Four or sixteen bytes; undefined for an invalid address or one with a zone. */
export const addressBytes = (text: string): Uint8Array | undefined => {
  const parts = text.split('.')
  const isVersion4 = parts.length === 4 && parts.every(part => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)
  if (isVersion4) return Uint8Array.from(parts, Number)
  // The URL parser reads all spellings of an IPv6 address and writes the shortest.
  const url = /^[\da-f.]*:[\da-f:.]*$/i.test(text) ? URL.parse(`http://[${text}]/`) : null
  if (!url) return undefined
  const [head = '', tail = ''] = url.hostname.slice(1, -1).split('::')
  const [left, right] = [groupBytes(head), groupBytes(tail)]
  return Buffer.concat([left, Buffer.alloc(16 - left.length - right.length), right])
}

const groupBytes = (text: string): Buffer =>
  Buffer.from(text.replace(/\w+/g, group => group.padStart(4, '0')).replaceAll(':', ''), 'hex')

/** `::ffff:10.0.0.0/104` becomes the IPv4 network 10.0.0.0/8, because Go and IP stacks treat both as equal. */
const unmapped = (network: Network): Network => {
  const { family, first, prefix } = network
  const isMapped = family === 'IPv6' && prefix >= 96 && first >> 32n === 0xffffn
  return isMapped ? { family: 'IPv4', first: BigInt.asUintN(32, first), prefix: prefix - 96 } : network
}

/** The text of RFC 5952 with the prefix. */
export const networkText = ({ family, first, prefix }: Network): string => `${spelled[family](first)}/${prefix}`

/** A network contains itself. */
export const containsNetwork = (outer: Network, inner: Network): boolean => {
  const tail = BigInt(bitsOf[outer.family] - outer.prefix)
  return outer.family === inner.family && outer.prefix <= inner.prefix && inner.first >> tail === outer.first >> tail
}

export const addressAt = (network: Network, offset: number): Network | undefined => {
  const address = { ...network, first: network.first + BigInt(offset), prefix: bitsOf[network.family] }
  return containsNetwork(network, address) ? address : undefined
}

/** A network and the parts to leave out. No part occurs twice. */
type Remainder = { readonly network: Network; readonly except: readonly Network[] }

export const withoutNetworks = (network: Network, others: readonly Network[]): Remainder | undefined => {
  if (others.some(other => containsNetwork(other, network))) return undefined
  const inside = others.filter(other => containsNetwork(network, other))
  return { network, except: [...new Map(inside.map(hole => [networkText(hole), hole])).values()] }
}

const groupsOf = (number: bigint, { count, bits }: { count: number; bits: number }): number[] =>
  Array.from({ length: count }, (_, at) => Number(BigInt.asUintN(bits, number >> BigInt((count - 1 - at) * bits))))

const spelled: Record<Family, (address: bigint) => string> = {
  IPv4: address => groupsOf(address, { count: 4, bits: 8 }).join('.'),
  IPv6: address => {
    const groups = groupsOf(address, { count: 8, bits: 16 }).map(group => group.toString(16))
    return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1)
  },
}
