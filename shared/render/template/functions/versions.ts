// Semantic versions, and constraints in the syntax of Masterminds: `>=1.20-0`, `~1.2`, `^1`, `1.x`, `!=1.3`, `1.0 - 2.0`, joined by comma
// or space (and) or `||` (or). A prerelease fits only if a limit of the same group names a prerelease. The patterns run on RE2, in linear
// time, because charts are not trusted.
import { RE2JS } from 're2js'
import { rethrown } from '../../../core/decisions/reading.ts'
import { Failure } from '../run/environment.ts'
import { type FunctionTable, fn } from '../value/function.ts'
import { type GoValue, Sized, Struct, type TemplateFunction } from '../value/value.ts'

type Part = 'major' | 'minor' | 'patch'

type Limit = {
  readonly operator: string
  readonly version: Version
  /** The first open part: `minor` in `1.x`. */
  readonly open: Part | undefined
}

const part = '[0-9xX*|]+'
const tail = '(-[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?'
const versionLike = `v?(${part})(\\.${part})?(\\.${part})?${tail}`
const bare = versionLike.replaceAll(/\((?!\?)/g, '(?:')
const operators = '=||!=|>|<|>=|=>|<=|=<|~|~>|\\^'
const one = RE2JS.compile(`^\\s*(${operators})\\s*${versionLike}\\s*$`)
const each = RE2JS.compile(`(?:!=|>=|=>|<=|=<|~>|>|<|~|=|\\^)?\\s*${bare}`)
const valid = RE2JS.compile(
  `^(?:\\s*(?:${operators})\\s*${bare}\\s*)(?:(?:\\s+|,\\s*)(?:${operators})\\s*${bare}\\s*)*$`,
)
const range = RE2JS.compile(`\\s*(${bare})\\s+-\\s+(${bare})\\s*`)

export const satisfies = (version: Version, constraint: string): boolean =>
  parse(constraint)
    .filter(group => version.prerelease === '' || group.some(limit => limit.version.prerelease !== ''))
    .some(group => group.every(limit => isWithin(version, limit)))

const parse = (constraint: string): readonly (readonly Limit[])[] =>
  range
    .matcher(constraint)
    .replaceAll('>= $1, <= $2 ')
    .split('||')
    .map(group => {
      if (!valid.matches(group)) throw new Failure(`improper constraint: ${group}`)
      return partsOf(group).map(limitOf)
    })

const partsOf = (group: string): string[] => {
  const matcher = each.matcher(group)
  const parts: string[] = []
  while (matcher.find()) parts.push(matcher.group(0) ?? '')
  return parts
}

const isOpen = (text = ''): boolean => /^(?:\.?[xX*])?$/.test(text)

const limitOf = (text: string): Limit => {
  const matcher = one.matcher(text)
  if (!matcher.matches()) throw new Failure(`improper constraint: ${text}`)
  const [operator, major, minor, patch, prerelease] = [1, 2, 3, 4, 5].map(group => matcher.group(group) ?? undefined)
  const [open, version] = isOpen(major)
    ? (['major', '0.0.0'] as const)
    : isOpen(minor)
      ? (['minor', `${major}.0.0`] as const)
      : isOpen(patch)
        ? (['patch', `${major}${minor}.0`] as const)
        : ([undefined, `${major}${minor}${patch}`] as const)
  return { operator: operator ?? '', version: parsed(version + (prerelease ?? '')), open }
}

const parsed = (text: string): Version =>
  rethrown(
    Failure,
    () => parseVersion(text),
    () => new Failure('constraint parser error'),
  )

type Check = (version: Version, limit: Limit) => boolean

const isWithin: Check = (version, limit) => checks[limit.operator]?.(version, limit) ?? false

const isTilde: Check = (version, { version: limit, open }) => {
  if (compareVersions(version, limit) < 0) return false
  const isAny = limit.major === 0n && limit.minor === 0n && limit.patch === 0n && open !== 'minor' && open !== 'patch'
  if (isAny) return true
  return version.major === limit.major && (version.minor === limit.minor || open === 'minor')
}

const isEqual: Check = (version, limit) =>
  limit.open === undefined ? compareVersions(version, limit.version) === 0 : isTilde(version, limit)

const isOther: Check = (version, { version: limit, open }) => {
  if (open === undefined) return compareVersions(version, limit) !== 0
  if (version.major !== limit.major) return true
  if (open === 'minor') return false
  if (version.minor !== limit.minor) return true
  if (open === 'patch') return comparePrereleases(version.prerelease, limit.prerelease) !== 0
  return version.patch !== limit.patch || compareVersions(version, limit) !== 0
}

const isAbove: Check = (version, { version: limit, open }) => {
  if (open === undefined) return compareVersions(version, limit) > 0
  if (version.major !== limit.major) return version.major > limit.major
  if (open === 'minor') return false
  return open === 'patch' ? version.minor > limit.minor : compareVersions(version, limit) > 0
}

const isAtMost: Check = (version, { version: limit, open }) => {
  if (open === undefined) return compareVersions(version, limit) <= 0
  if (version.major !== limit.major) return version.major < limit.major
  return open === 'minor' || version.minor <= limit.minor
}

const isCaret: Check = (version, { version: limit, open }) => {
  if (compareVersions(version, limit) < 0) return false
  if (limit.major > 0n || open === 'minor') return version.major === limit.major
  if (version.major > 0n) return false
  if (limit.minor > 0n || open === 'patch') return version.minor === limit.minor
  return version.minor === 0n && version.patch === limit.patch
}

const isAtLeast: Check = (version, { version: limit }) => compareVersions(version, limit) >= 0

const checks: Readonly<Record<string, Check>> = {
  '': isEqual,
  '=': isEqual,
  '!=': isOther,
  '>': isAbove,
  '<': (version, { version: limit }) => compareVersions(version, limit) < 0,
  '>=': isAtLeast,
  '=>': isAtLeast,
  '<=': isAtMost,
  '=<': isAtMost,
  '~': isTilde,
  '~>': isTilde,
  '^': isCaret,
}

type Version = {
  readonly major: bigint
  readonly minor: bigint
  readonly patch: bigint
  readonly prerelease: string
  readonly metadata: string
  readonly original: string
}

const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*'
const version = new RegExp(`^v?(\\d+)(?:\\.(\\d+))?(?:\\.(\\d+))?(?:-(${identifiers}))?(?:\\+(${identifiers}))?$`)

/** Limit of digits, because Go reads the parts as 64-bit numbers. */
const digitsMost = 19

export const parseVersion = (text: string): Version => {
  const [, major, minor = '0', patch = '0', prerelease = '', metadata = ''] = version.exec(text) ?? []
  if (major === undefined) throw new Failure('invalid semantic version')
  if ([major, minor, patch].some(part => part.length > digitsMost)) throw new Failure('invalid semantic version')
  if (prerelease.split('.').some(part => /^0\d+$/.test(part))) throw new Failure('version segment starts with 0')
  return { major: BigInt(major), minor: BigInt(minor), patch: BigInt(patch), prerelease, metadata, original: text }
}

/** `1.2.3-beta.1+build`. */
const versionText = ({ major, minor, patch, prerelease, metadata }: Version): string =>
  `${major}.${minor}.${patch}${prerelease === '' ? '' : `-${prerelease}`}${metadata === '' ? '' : `+${metadata}`}`

/** Negative if a comes before b. Metadata is ignored. */
const compareVersions = (a: Version, b: Version): number =>
  order(a.major, b.major) ||
  order(a.minor, b.minor) ||
  order(a.patch, b.patch) ||
  comparePrereleases(a.prerelease, b.prerelease)

const order = <Value extends bigint | string>(a: Value, b: Value): number => (a === b ? 0 : a < b ? -1 : 1)

/** A version without a prerelease comes after the same version with a prerelease. In a prerelease, numbers come before words. */
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

const typeName = '*semver.Version'

const comparing = (own: Version, does: (order: number) => GoValue): TemplateFunction =>
  fn('any', other => {
    if (!(other instanceof Struct) || other.typeName !== typeName) {
      throw new Failure(`wrong type for value; expected ${typeName}`)
    }
    return does(compareVersions(own, parseVersion(other.text ?? '')))
  })

const wholePart = (value: bigint): TemplateFunction => fn('', () => new Sized('uint64', value))
const answering = (text: string): TemplateFunction => fn('', () => text)
const next = (version: Version, parts: Partial<Version>): TemplateFunction =>
  fn('', () => versionStruct({ ...version, prerelease: '', metadata: '', ...parts }))

const versionStruct = (version: Version): Struct =>
  new Struct(typeName, {
    text: versionText(version),
    methods: {
      Major: wholePart(version.major),
      Minor: wholePart(version.minor),
      Patch: wholePart(version.patch),
      Prerelease: answering(version.prerelease),
      Metadata: answering(version.metadata),
      Original: answering(version.original),
      String: answering(versionText(version)),
      Compare: comparing(version, order => BigInt(order)),
      Equal: comparing(version, order => order === 0),
      GreaterThan: comparing(version, order => order > 0),
      GreaterThanEqual: comparing(version, order => order >= 0),
      LessThan: comparing(version, order => order < 0),
      LessThanEqual: comparing(version, order => order <= 0),
      IncMajor: next(version, { major: version.major + 1n, minor: 0n, patch: 0n }),
      IncMinor: next(version, { minor: version.minor + 1n, patch: 0n }),
      IncPatch: next(version, version.prerelease === '' ? { patch: version.patch + 1n } : {}),
    },
  })

export const versions: FunctionTable = {
  semver: fn('string', text => versionStruct(parseVersion(text))),
  semverCompare: fn('string string', (constraint, version) => {
    satisfies(parseVersion('0.0.0'), constraint)
    return satisfies(parseVersion(version), constraint)
  }),
}
