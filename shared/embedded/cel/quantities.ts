// CEL functions of resource quantities, counted exactly in nano units, and of semantic versions.
import type { Environment } from '@marcbachmann/cel-js'
import { SemVer } from 'semver'
import { quantityNano } from '../../core/objects/quantity.ts'
import { withFunctions } from './functions.ts'

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

/** Go's library forgives a `v`, missing parts and leading zeros when it is lenient. */
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
