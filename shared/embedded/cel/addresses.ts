// CEL functions of IP addresses, networks, resource quantities and semantic versions.
import { BlockList, isIP } from 'node:net'
import type { Environment } from '@marcbachmann/cel-js'
import { SemVer } from 'semver'
import { quantityNano } from '../../core/objects/quantity.ts'
import { isCidr } from '../crd/formats.ts'
import { withFunctions } from './functions.ts'

type Family = 'ipv4' | 'ipv6'

const familyOf = (text: string): Family => (isIP(text) === 4 ? 'ipv4' : 'ipv6')

class Address {
  readonly text: string
  readonly family: Family
  constructor(text: string) {
    if (isIP(text) === 0) throw new Error(`IP Address ${JSON.stringify(text)} parse error`)
    this.text = text
    this.family = familyOf(text)
  }
}

class Network {
  readonly address: Address
  readonly bits: number
  readonly members = new BlockList()
  constructor(text: string) {
    const [address = '', bits = ''] = text.split('/')
    if (!isCidr(text)) throw new Error(`network address parse error: ${text}`)
    this.address = new Address(address)
    this.bits = Number(bits)
    this.members.addSubnet(address, this.bits, this.address.family)
  }
  has({ text, family }: Address): boolean {
    return family === this.address.family && this.members.check(text, family)
  }
}

const within = (...networks: string[]): ((address: Address) => boolean) => {
  const known = networks.map(text => new Network(text))
  return address => known.some(network => network.has(address))
}

const isLoopback = within('127.0.0.0/8', '::1/128')
const isUnspecified = within('0.0.0.0/32', '::/128')
const isLinkLocalUnicast = within('169.254.0.0/16', 'fe80::/10')
const isLinkLocalMulticast = within('224.0.0.0/24', 'ff02::/16')
const isMulticast = within('224.0.0.0/4', 'ff00::/8')
const isGlobalUnicast = (address: Address): boolean =>
  ![isLoopback, isUnspecified, isLinkLocalUnicast, isMulticast].some(is => is(address)) &&
  address.text !== '255.255.255.255'

export const addAddresses = (environment: Environment): Environment => addNetworks(addIps(environment))

const addIps = (environment: Environment): Environment =>
  withFunctions(environment.registerType('IP', Address), {
    'ip(string): IP': (text: string) => new Address(text),
    'isIP(string): bool': (text: string) => isIP(text) !== 0,
    'IP.family(): int': ({ family }: Address) => (family === 'ipv4' ? 4n : 6n),
    'IP.isLoopback(): bool': isLoopback,
    'IP.isUnspecified(): bool': isUnspecified,
    'IP.isLinkLocalUnicast(): bool': isLinkLocalUnicast,
    'IP.isLinkLocalMulticast(): bool': isLinkLocalMulticast,
    'IP.isGlobalUnicast(): bool': isGlobalUnicast,
  })

const addNetworks = (environment: Environment): Environment =>
  withFunctions(environment.registerType('CIDR', Network), {
    'cidr(string): CIDR': (text: string) => new Network(text),
    'isCIDR(string): bool': isCidr,
    'CIDR.ip(): IP': ({ address }: Network) => address,
    'CIDR.prefixLength(): int': ({ bits }: Network) => BigInt(bits),
    'CIDR.containsIP(string): bool': (network: Network, text: string) => network.has(new Address(text)),
    'CIDR.containsIP(IP): bool': (network: Network, address: Address) => network.has(address),
    'CIDR.containsCIDR(string): bool': (network: Network, text: string) => containsNetwork(network, new Network(text)),
    'CIDR.containsCIDR(CIDR): bool': containsNetwork,
  })

const containsNetwork = (network: Network, other: Network): boolean =>
  network.has(other.address) && other.bits >= network.bits

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

/** Go's library in lenient mode accepts a leading `v`, missing parts and leading zeros. */
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
