// CEL functions of semantic versions.
import type { Environment } from '@marcbachmann/cel-js'
import { SemVer } from 'semver'

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

const compare = (left: Semver, right: Semver): number => left.version.compare(right.version)

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
    .registerFunction('Semver.compareTo(Semver): int', (left: Semver, right: Semver) => BigInt(compare(left, right)))
    .registerFunction('Semver.isLessThan(Semver): bool', (left: Semver, right: Semver) => compare(left, right) < 0)
    .registerFunction('Semver.isGreaterThan(Semver): bool', (left: Semver, right: Semver) => compare(left, right) > 0)
