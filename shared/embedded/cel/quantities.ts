// CEL functions of resource quantities. They are exact: values are counted in nano units.
import type { Environment } from '@marcbachmann/cel-js'
import { SemVer } from 'semver'
import { quantityNano } from '../../core/objects/quantity.ts'

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
  environment
    .registerType('Quantity', Quantity)
    .registerFunction('quantity(string): Quantity', quantity)
    .registerFunction('isQuantity(string): bool', (text: string) => quantityNano(text) !== undefined)
    .registerFunction('Quantity.compareTo(Quantity): int', compare)
    .registerFunction(
      'Quantity.isLessThan(Quantity): bool',
      (left: Quantity, right: Quantity) => left.nano < right.nano,
    )
    .registerFunction(
      'Quantity.isGreaterThan(Quantity): bool',
      (left: Quantity, right: Quantity) => left.nano > right.nano,
    )
    .registerFunction('Quantity.sign(): int', (value: Quantity) => compare(value, new Quantity(0n)))
    .registerFunction('Quantity.isInteger(): bool', ({ nano }: Quantity) => nano % one === 0n)
    .registerFunction('Quantity.asInteger(): int', whole)
    .registerFunction('Quantity.asApproximateFloat(): double', ({ nano }: Quantity) => Number(nano) / Number(one))
    .registerFunction(
      'Quantity.add(Quantity): Quantity',
      (left: Quantity, right: Quantity) => new Quantity(left.nano + right.nano),
    )
    .registerFunction(
      'Quantity.sub(Quantity): Quantity',
      (left: Quantity, right: Quantity) => new Quantity(left.nano - right.nano),
    )
    .registerFunction(
      'Quantity.add(int): Quantity',
      (left: Quantity, right: bigint) => new Quantity(left.nano + right * one),
    )
    .registerFunction(
      'Quantity.sub(int): Quantity',
      (left: Quantity, right: bigint) => new Quantity(left.nano - right * one),
    )

/** As Go's library reads them when it is told to be lenient: a `v`, missing parts and leading zeros are forgiven. */
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
  environment
    .registerType('Semver', Semver)
    .registerFunction('semver(string): Semver', (text: string) => new Semver(text))
    .registerFunction(
      'semver(string, bool): Semver',
      (text: string, isLenient: boolean) => new Semver(isLenient ? lenient(text) : text),
    )
    .registerFunction('isSemver(string): bool', isSemver)
    .registerFunction('isSemver(string, bool): bool', (text: string, isLenient: boolean) =>
      isSemver(isLenient ? lenient(text) : text),
    )
    .registerFunction('Semver.major(): int', ({ version }: Semver) => BigInt(version.major))
    .registerFunction('Semver.minor(): int', ({ version }: Semver) => BigInt(version.minor))
    .registerFunction('Semver.patch(): int', ({ version }: Semver) => BigInt(version.patch))
    .registerFunction('Semver.compareTo(Semver): int', (left: Semver, right: Semver) =>
      BigInt(compareVersions(left, right)),
    )
    .registerFunction(
      'Semver.isLessThan(Semver): bool',
      (left: Semver, right: Semver) => compareVersions(left, right) < 0,
    )
    .registerFunction(
      'Semver.isGreaterThan(Semver): bool',
      (left: Semver, right: Semver) => compareVersions(left, right) > 0,
    )
