// Versions as Masterminds' semver reads them: leniently, with a `v` and missing parts allowed.
import { Failure } from '../run/failure.ts'

export type Version = {
  readonly major: bigint
  readonly minor: bigint
  readonly patch: bigint
  readonly prerelease: string
  readonly metadata: string
  readonly original: string
}

const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*'
const version = new RegExp(`^v?(\\d+)(?:\\.(\\d+))?(?:\\.(\\d+))?(?:-(${identifiers}))?(?:\\+(${identifiers}))?$`)

/** Go reads the parts as numbers of 64 bits. */
const digitsMost = 19

/** Throws a Failure for what is no version. */
export const parseVersion = (text: string): Version => {
  const [, major, minor = '0', patch = '0', prerelease = '', metadata = ''] = version.exec(text) ?? []
  if (major === undefined) throw new Failure('invalid semantic version')
  if ([major, minor, patch].some(part => part.length > digitsMost)) throw new Failure('invalid semantic version')
  if (prerelease.split('.').some(part => /^0\d+$/.test(part))) throw new Failure('version segment starts with 0')
  return { major: BigInt(major), minor: BigInt(minor), patch: BigInt(patch), prerelease, metadata, original: text }
}

/** `1.2.3-beta.1+build`. */
export const versionText = ({ major, minor, patch, prerelease, metadata }: Version): string =>
  `${major}.${minor}.${patch}${prerelease === '' ? '' : `-${prerelease}`}${metadata === '' ? '' : `+${metadata}`}`

/** Below 0 if a comes before b; metadata does not count. */
export const compareVersions = (a: Version, b: Version): number =>
  order(a.major, b.major) ||
  order(a.minor, b.minor) ||
  order(a.patch, b.patch) ||
  comparePrereleases(a.prerelease, b.prerelease)

const order = <Value extends bigint | string>(a: Value, b: Value): number => (a === b ? 0 : a < b ? -1 : 1)

/** None comes after any; numbers come before words. */
export const comparePrereleases = (a: string, b: string): number => {
  if (a === b) return 0
  if (a === '' || b === '') return a === '' ? 1 : -1
  const [left, right] = [a.split('.'), b.split('.')]
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const found = compareParts(left[index], right[index])
    if (found !== 0) return found
  }
  return 0
}

const compareParts = (a: string | undefined, b: string | undefined): number => {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1
  const [isNumber, isOther] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (isNumber && isOther) return order(BigInt(a), BigInt(b))
  return isNumber === isOther ? order(a, b) : isNumber ? -1 : 1
}
