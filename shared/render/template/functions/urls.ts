// Functions for URLs, semantic versions and paths. The `os` functions equal the other path functions, because templates render for Linux.
import { Failure } from '../run/failure.ts'
import { compareVersions, parseVersion, satisfies, type Version, versionText } from '../semver.ts'
import { escaped, hostname, parseUrl, type Url, UrlFault, userText } from '../url.ts'
import { kindName } from '../value/kinds.ts'
import { type FunctionTable, fn } from '../value/signature.ts'
import { type GoMap, type GoValue, mapOf, Sized, Struct, type TemplateFunction } from '../value/value.ts'

const toMap = (url: Url): GoMap =>
  mapOf([
    ['scheme', url.scheme],
    ['host', url.host],
    ['hostname', hostname(url.host)],
    ['path', url.path],
    ['query', url.query],
    ['opaque', url.opaque],
    ['fragment', url.fragment],
    ['userinfo', url.user ?? ''],
  ])

const field = (map: GoMap, name: string): string => {
  const value = map.get(name) ?? ''
  if (typeof value === 'string') return value
  throw new Failure(`unable to parse ${name} key, must be of type string, but ${kindName(value)} found`)
}

const joined = (map: GoMap): string => {
  const [scheme, host, path, query] = ['scheme', 'host', 'path', 'query'].map(name => field(map, name))
  const [opaque, fragment, user] = ['opaque', 'fragment', 'userinfo'].map(name => field(map, name))
  const start = scheme === '' ? '' : `${scheme}:`
  const body = opaque === '' ? authority({ scheme, host, path, user }) : opaque
  return (
    start +
    body +
    (query === '' ? '' : `?${query}`) +
    (fragment === '' ? '' : `#${escaped(fragment ?? '', 'fragment')}`)
  )
}

type Authority = Readonly<Record<'scheme' | 'host' | 'path' | 'user', string | undefined>>

const authority = ({ scheme = '', host = '', path = '', user = '' }: Authority): string => {
  const login = user === '' ? '' : `${faultless(() => userText(user))}@`
  const hasAuthority = host !== '' || login !== '' || (scheme !== '' && path !== '')
  const written = path === '*' ? path : escaped(path, 'path')
  const isAmbiguous = !hasAuthority && scheme === '' && (path.split('/')[0] ?? '').includes(':')
  const isRelative = host !== '' && path !== '' && !path.startsWith('/')
  return (
    (hasAuthority ? `//${login}${escaped(host, 'host')}` : '') + (isRelative ? '/' : isAmbiguous ? './' : '') + written
  )
}

const faultless = <Result>(read: () => Result): Result => {
  try {
    return read()
  } catch (error) {
    if (error instanceof UrlFault) throw new Failure(`unable to parse url: ${error.message}`)
    throw error
  }
}

export const urls: FunctionTable = {
  urlJoin: fn('map', joined),
  urlParse: fn('string', text => toMap(faultless(() => parseUrl(text)))),
}

/** The path without `.`, `..` and doubled slashes; `.` for an empty path. */
const clean = (path: string): string => {
  const isRooted = path.startsWith('/')
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (!isRooted) parts.push(part)
  }
  const text = (isRooted ? '/' : '') + parts.join('/')
  return text === '' ? '.' : text
}

const base = (path: string): string => {
  if (path === '') return '.'
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return end === 0 ? '/' : path.slice(path.lastIndexOf('/', end - 1) + 1, end)
}

const directory = (path: string): string => clean(path.slice(0, path.lastIndexOf('/') + 1))

const extension = (path: string): string => {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot < 0 ? '' : name.slice(dot)
}

const rows: FunctionTable = {
  base: fn('string', base),
  clean: fn('string', clean),
  dir: fn('string', directory),
  ext: fn('string', extension),
  isAbs: fn('string', path => path.startsWith('/')),
}

export const paths: FunctionTable = {
  ...rows,
  ...Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [`os${name[0]?.toUpperCase()}${name.slice(1)}`, row]),
  ),
}

const typeName = '*semver.Version'

const comparing = (own: Version, does: (order: number) => GoValue): TemplateFunction =>
  fn('any', other => {
    if (!(other instanceof Struct) || other.typeName !== typeName) {
      throw new Failure(`wrong type for value; expected ${typeName}`)
    }
    return does(compareVersions(own, parseVersion(other.text ?? '')))
  })

const part = (value: bigint): TemplateFunction => fn('', () => new Sized('uint64', value))
const answering = (text: string): TemplateFunction => fn('', () => text)
const next = (version: Version, parts: Partial<Version>): TemplateFunction =>
  fn('', () => versionStruct({ ...version, prerelease: '', metadata: '', ...parts }))

const versionStruct = (version: Version): Struct =>
  new Struct(typeName, {
    text: versionText(version),
    methods: {
      Major: part(version.major),
      Minor: part(version.minor),
      Patch: part(version.patch),
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
