// CEL functions of IP addresses, networks, resource quantities and semantic versions.
import type { Environment } from '@marcbachmann/cel-js'
import { SemVer } from 'semver'
import { containsNetwork, type Network, parseAddress, parseNetwork } from '../../core/network/cidr.ts'
import { quantityNano } from '../../core/objects/quantity.ts'
import { withFunctions } from './functions.ts'

class Address {
  readonly at: Network
  constructor(text: string) {
    const at = parseAddress(text)
    if (!at) throw new Error(`IP Address ${JSON.stringify(text)} parse error`)
    this.at = at
  }
}

class Cidr {
  readonly address: Address
  readonly network: Network
  constructor(text: string) {
    const network = parseNetwork(text)
    if (!network) throw new Error(`network address parse error: ${text}`)
    this.address = new Address(text.split('/')[0] ?? '')
    this.network = network
  }
  has({ at }: Address): boolean {
    return containsNetwork(this.network, at)
  }
}

const within = (...cidrs: string[]): ((address: Address) => boolean) => {
  const known = cidrs.map(text => new Cidr(text))
  return address => known.some(cidr => cidr.has(address))
}

const isLoopback = within('127.0.0.0/8', '::1/128')
const isUnspecified = within('0.0.0.0/32', '::/128')
const isLinkLocalUnicast = within('169.254.0.0/16', 'fe80::/10')
const isLinkLocalMulticast = within('224.0.0.0/24', 'ff02::/16')
const isMulticast = within('224.0.0.0/4', 'ff00::/8')
const isBroadcast = within('255.255.255.255/32')
const isGlobalUnicast = (address: Address): boolean =>
  ![isLoopback, isUnspecified, isLinkLocalUnicast, isMulticast, isBroadcast].some(is => is(address))

export const addAddresses = (environment: Environment): Environment => addNetworks(addIps(environment))

const addIps = (environment: Environment): Environment =>
  withFunctions(environment.registerType('IP', Address), {
    'ip(string): IP': (text: string) => new Address(text),
    'isIP(string): bool': (text: string) => parseAddress(text) !== undefined,
    'IP.family(): int': ({ at }: Address) => (at.family === 'IPv4' ? 4n : 6n),
    'IP.isLoopback(): bool': isLoopback,
    'IP.isUnspecified(): bool': isUnspecified,
    'IP.isLinkLocalUnicast(): bool': isLinkLocalUnicast,
    'IP.isLinkLocalMulticast(): bool': isLinkLocalMulticast,
    'IP.isGlobalUnicast(): bool': isGlobalUnicast,
  })

const addNetworks = (environment: Environment): Environment =>
  withFunctions(environment.registerType('CIDR', Cidr), {
    'cidr(string): CIDR': (text: string) => new Cidr(text),
    'isCIDR(string): bool': (text: string) => parseNetwork(text) !== undefined,
    'CIDR.ip(): IP': ({ address }: Cidr) => address,
    'CIDR.prefixLength(): int': ({ network }: Cidr) => BigInt(network.prefix),
    'CIDR.containsIP(string): bool': (cidr: Cidr, text: string) => cidr.has(new Address(text)),
    'CIDR.containsIP(IP): bool': (cidr: Cidr, address: Address) => cidr.has(address),
    'CIDR.containsCIDR(string): bool': (cidr: Cidr, text: string) => contains(cidr, new Cidr(text)),
    'CIDR.containsCIDR(CIDR): bool': contains,
  })

const contains = (cidr: Cidr, other: Cidr): boolean => containsNetwork(cidr.network, other.network)

/** Quantities are counted exactly, in nano units. */
const one = 10n ** 9n

class Quantity {
  readonly nano: bigint
  constructor(nano: bigint) {
    this.nano = nano
  }
}

const quantity = (text: string): Quantity => {
  const nano = quantityNano(text)
  if (nano === undefined)
    throw new Error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
  return new Quantity(nano)
}

const compare = (left: Quantity, right: Quantity): bigint =>
  left.nano === right.nano ? 0n : left.nano < right.nano ? -1n : 1n

const whole = ({ nano }: Quantity): bigint => {
  if (nano % one !== 0n) throw new Error('cannot convert value to integer')
  return nano / one
}

export const addQuantities = (environment: Environment): Environment =>
  withFunctions(environment.registerType('Quantity', Quantity), {
    'quantity(string): Quantity': quantity,
    'isQuantity(string): bool': (text: string) => quantityNano(text) !== undefined,
    'Quantity.compareTo(Quantity): int': compare,
    'Quantity.isLessThan(Quantity): bool': (left: Quantity, right: Quantity) => left.nano < right.nano,
    'Quantity.isGreaterThan(Quantity): bool': (left: Quantity, right: Quantity) => left.nano > right.nano,
    'Quantity.sign(): int': (value: Quantity) => compare(value, new Quantity(0n)),
    'Quantity.isInteger(): bool': ({ nano }: Quantity) => nano % one === 0n,
    'Quantity.asInteger(): int': whole,
    'Quantity.asApproximateFloat(): double': ({ nano }: Quantity) => Number(nano) / Number(one),
    'Quantity.add(Quantity): Quantity': (left: Quantity, right: Quantity) => new Quantity(left.nano + right.nano),
    'Quantity.sub(Quantity): Quantity': (left: Quantity, right: Quantity) => new Quantity(left.nano - right.nano),
    'Quantity.add(int): Quantity': (left: Quantity, right: bigint) => new Quantity(left.nano + right * one),
    'Quantity.sub(int): Quantity': (left: Quantity, right: bigint) => new Quantity(left.nano - right * one),
  })

/** Adds missing parts and removes `v` and leading zeros, which Go's library accepts in lenient mode. */
const lenient = (text: string): string => {
  const [, numbers = '', rest = ''] = /^v?(\d+(?:\.\d+){0,2})(.*)$/.exec(text) ?? []
  const [major, minor = '0', patch = '0'] = numbers.split('.').map(part => String(Number(part)))
  return numbers === '' ? text : `${major}.${minor}.${patch}${rest}`
}

class Semver {
  readonly version: SemVer
  constructor(text: string) {
    this.version = new SemVer(text)
    if (this.version.raw !== text || text.startsWith('v')) throw new Error(`invalid semver: ${text}`)
  }
}

const isSemver = (text: string): boolean => {
  try {
    return new Semver(text) !== undefined
  } catch {
    return false
  }
}

const compareVersions = (left: Semver, right: Semver): number => left.version.compare(right.version)

export const addVersions = (environment: Environment): Environment =>
  withFunctions(environment.registerType('Semver', Semver), {
    'semver(string): Semver': (text: string) => new Semver(text),
    'semver(string, bool): Semver': (text: string, isLenient: boolean) => new Semver(isLenient ? lenient(text) : text),
    'isSemver(string): bool': isSemver,
    'isSemver(string, bool): bool': (text: string, isLenient: boolean) => isSemver(isLenient ? lenient(text) : text),
    'Semver.major(): int': ({ version }: Semver) => BigInt(version.major),
    'Semver.minor(): int': ({ version }: Semver) => BigInt(version.minor),
    'Semver.patch(): int': ({ version }: Semver) => BigInt(version.patch),
    'Semver.compareTo(Semver): int': (left: Semver, right: Semver) => BigInt(compareVersions(left, right)),
    'Semver.isLessThan(Semver): bool': (left: Semver, right: Semver) => compareVersions(left, right) < 0,
    'Semver.isGreaterThan(Semver): bool': (left: Semver, right: Semver) => compareVersions(left, right) > 0,
  })
