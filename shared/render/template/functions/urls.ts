// URLs as Go's net/url takes them apart, and functions for URLs and paths. The `os` functions equal the other path functions, because templates
// render for Linux.
import { rethrown } from '../../../core/decisions/reading.ts'
import { addressBytes } from '../../../core/network/cidr.ts'
import { Failure } from '../run/environment.ts'
import { quote } from '../syntax/literals.ts'
import { bytesOf, textOf } from '../value/bytes.ts'
import { type FunctionTable, fn } from '../value/function.ts'
import { kindName } from '../value/kinds.ts'
import { type GoMap, mapOf } from '../value/value.ts'

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

const faultless = <Result>(read: () => Result): Result =>
  rethrown(UrlFault, read, ({ message }) => new Failure(`unable to parse url: ${message}`))

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

export type Url = {
  readonly scheme: string
  readonly opaque: string
  /** As written, with escapes; undefined if the URL contains no @. */
  readonly user: string | undefined
  readonly host: string
  readonly path: string
  readonly writtenPath: string
  readonly query: string
  readonly fragment: string
}

export const parseUrl = (text: string): Url => {
  const [body, fragment] = cut(text, '#')
  const url = located(body, () => parsed(body))
  return { ...url, fragment: located(text, () => unescaped(fragment)) }
}

const located = <Result>(text: string, read: () => Result): Result =>
  rethrown(UrlFault, read, ({ message }) => new UrlFault(`parse ${quote(text)}: ${message}`))

const cut = (text: string, separator: string): readonly [before: string, after: string, isFound: boolean] => {
  const at = text.indexOf(separator)
  return at < 0 ? [text, '', false] : [text.slice(0, at), text.slice(at + separator.length), true]
}

const control = /(?![\x80-\x9f])\p{Cc}/u

const parsed = (text: string): Omit<Url, 'fragment'> => {
  if (control.test(text)) throw new UrlFault('net/url: invalid control character in URL')
  const [, scheme = '', rest = ''] = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?([\s\S]*)$/.exec(text) ?? []
  if (scheme === '' && rest.startsWith(':')) throw new UrlFault('missing protocol scheme')
  const [address, query] = cut(rest, '?')
  const common = { scheme: scheme.toLowerCase(), query, opaque: '' }
  if (address.startsWith('/')) return { ...common, ...placeOf(address, scheme !== '') }
  if (scheme !== '') return { ...common, ...pathOf(''), opaque: address }
  // Go refuses a colon in the first segment, because the text before the colon could be a scheme.
  if (cut(address, '/')[0].includes(':')) throw new UrlFault('first path segment in URL cannot contain colon')
  return { ...common, ...pathOf(address) }
}

type Located = Pick<Url, 'user' | 'host' | 'path' | 'writtenPath'>

const pathOf = (written: string): Located => ({
  user: undefined,
  host: '',
  path: unescaped(written),
  writtenPath: written,
})

/** Splits an address that begins with a slash. A host comes after two slashes, and after three slashes only if there is a scheme. */
const placeOf = (address: string, hasScheme: boolean): Located => {
  if (!address.startsWith('//') || (!hasScheme && address.startsWith('///'))) return pathOf(address)
  const [, authority = '', path = ''] = /^\/\/([^/]*)(.*)$/s.exec(address) ?? []
  const at = authority.lastIndexOf('@')
  const host = hostOf(authority.slice(at + 1))
  return { ...pathOf(path), host, user: at < 0 ? undefined : userText(authority.slice(0, at)) }
}

const userText = (text: string): string => {
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(text)) throw new UrlFault('net/url: invalid userinfo')
  const [name, password, hasPassword] = cut(text, ':')
  return [name, ...(hasPassword ? [password] : [])].map(part => escaped(unescaped(part), 'user')).join(':')
}

const hostOf = (text: string): string => {
  const bracket = text.lastIndexOf('[')
  if (bracket > 0) throw new UrlFault('invalid IP-literal')
  if (bracket === 0) return literalOf(text)
  checkPort(text.slice(text.lastIndexOf(':')), text.includes(':'))
  return hostText(text)
}

const checkPort = (port: string, isThere: boolean): void => {
  if (isThere && !/^:\d*$/.test(port)) throw new UrlFault(`invalid port ${quote(port)} after host`)
}

/** `[::1]:80`, perhaps with a zone. */
const literalOf = (text: string): string => {
  const end = text.lastIndexOf(']')
  if (end < 0) throw new UrlFault("missing ']' in host")
  const port = text.slice(end + 1)
  checkPort(port, port !== '')
  const [address, zone, hasZone] = cut(text.slice(1, end), '%25')
  const name = hostText(address) + (hasZone ? `%${unescaped(zone)}` : '')
  const bytes = addressBytes(address)
  if (bytes === undefined || name.endsWith('%'))
    throw new UrlFault(`invalid host: ParseAddr(${quote(name)}): unable to parse IP`)
  if (bytes.length === 4) throw new UrlFault('invalid IP-literal')
  return `[${name}]${port}`
}

/** A host may escape only the % itself and characters beyond ASCII. */
const hostText = (text: string): string => {
  const bad = /%(?!25)[0-7][\da-fA-F]/.exec(text)
  if (bad !== null) throw new UrlFault(`invalid URL escape ${quote(bad[0])}`)
  const sign = /[ \\^`{|}]/.exec(text)
  if (sign !== null) throw new UrlFault(`invalid character ${quote(sign[0])} in host name`)
  return unescaped(text)
}

export const hostname = (host: string): string => {
  const name = host.replace(/:\d*$/, '')
  return name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name
}

type Place = 'path' | 'fragment' | 'user' | 'host' | 'query'

const plain = /[A-Za-z0-9\-_.~]/
const kept: Readonly<Record<Place, RegExp>> = {
  path: /[$&+,/:;=@]/,
  fragment: /[$&+,/:;=?@!()]/,
  user: /[$&+,;=]/,
  host: /[!$&'()*+,;=:[\]<>"]/,
  query: /(?!)/,
}

export const escaped = (text: string, place: Place): string =>
  Array.from(bytesOf(text), byte => {
    const sign = String.fromCharCode(byte)
    const isKept = plain.test(sign) || (byte < 0x80 && kept[place].test(sign))
    return isKept ? sign : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }).join('')

export class UrlFault extends Error {
  override readonly name = 'UrlFault'
}

export const unescaped = (text: string): string => {
  const bad = /%(?![\da-fA-F]{2}).{0,2}/s.exec(text)
  if (bad !== null) throw new UrlFault(`invalid URL escape ${quote(bad[0])}`)
  const bytes = text.split(/(%[\da-fA-F]{2})/).map(part => {
    return /^%[\da-fA-F]{2}$/.test(part) ? Uint8Array.of(Number.parseInt(part.slice(1), 16)) : bytesOf(part)
  })
  return textOf(Buffer.concat(bytes))
}
