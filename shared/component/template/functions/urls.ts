// URLs taken apart and put together as Go's net/url does.
import { quote } from '../format/quote.ts'
import { Failure } from '../run/failure.ts'
import { bytesOf, textOf } from '../value/bytes.ts'
import { kindName } from '../value/kinds.ts'
import { type FunctionTable, fn } from '../value/signature.ts'
import { type GoMap, mapOf } from '../value/value.ts'

type Url = {
  readonly scheme: string
  readonly opaque: string
  /** As it is written, escapes included; undefined without an @. */
  readonly user: string | undefined
  readonly host: string
  readonly path: string
  readonly query: string
  readonly isQueried: boolean
  readonly fragment: string
}

const plain = /[A-Za-z0-9\-_.~]/
const allowed: Readonly<Record<'path' | 'fragment' | 'user', RegExp>> = {
  path: /[$&+,/:;=@!'()*]/,
  fragment: /[$&+,/:;=?@!()]/,
  user: /[$&+,;=]/,
}

const escaped = (text: string, place: keyof typeof allowed): string =>
  Array.from(bytesOf(text), byte => {
    const sign = String.fromCharCode(byte)
    const isKept =
      plain.test(sign) || (byte < 0x80 && allowed[place].test(sign) && !(place === 'path' && /['!()*]/.test(sign)))
    return isKept ? sign : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }).join('')

const unescaped = (text: string, whole: string): string => {
  const bad = /%(?![\da-fA-F]{2}).{0,2}/.exec(text)
  if (bad !== null) throw invalid(whole, `invalid URL escape ${quote(bad[0])}`)
  const bytes = text.split(/(%[\da-fA-F]{2})/).map(part => {
    return /^%[\da-fA-F]{2}$/.test(part) ? Uint8Array.of(Number.parseInt(part.slice(1), 16)) : bytesOf(part)
  })
  return textOf(Buffer.concat(bytes))
}

const invalid = (whole: string, reason: string): Failure =>
  new Failure(`unable to parse url: parse ${quote(whole)}: ${reason}`)

/** Text before and after the first separator. */
const cut = (text: string, separator: string): readonly [before: string, after: string, isFound: boolean] => {
  const at = text.indexOf(separator)
  return at < 0 ? [text, '', false] : [text.slice(0, at), text.slice(at + separator.length), true]
}

const parsed = (text: string): Url => {
  if (/(?![\x80-\x9f])\p{Cc}/u.test(text)) throw invalid(text, 'net/url: invalid control character in URL')
  const [body, fragment] = cut(text, '#')
  const [, scheme = '', rest = ''] = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?([\s\S]*)$/.exec(body) ?? []
  if (scheme === '' && rest.startsWith(':')) throw invalid(text, 'missing protocol scheme')
  const [address, query, isQueried] = cut(rest, '?')
  const common = { scheme: scheme.toLowerCase(), query, isQueried, fragment: unescaped(fragment, text) }
  if (!address.startsWith('/') && scheme !== '')
    return { ...common, opaque: address, user: undefined, host: '', path: '' }
  if (!address.startsWith('/') && address.split('/')[0]?.includes(':')) {
    throw invalid(text, 'first path segment in URL cannot contain colon')
  }
  return { ...common, opaque: '', ...located(address, text) }
}

const located = (address: string, whole: string): Pick<Url, 'user' | 'host' | 'path'> => {
  if (!address.startsWith('//')) return { user: undefined, host: '', path: unescaped(address, whole) }
  const [, authority = '', path = ''] = /^\/\/([^/]*)(.*)$/s.exec(address) ?? []
  const at = authority.lastIndexOf('@')
  const host = authority.slice(at + 1)
  const port = /^(?:\[[^\]]*\]|[^:]*)(.*)$/.exec(host)?.[1] ?? ''
  if (!/^(?::\d*)?$/.test(port)) throw invalid(whole, `invalid port ${quote(port)} after host`)
  if (/[\s"<>\\^`{|}]/.test(host))
    throw invalid(whole, `invalid character ${quote(/[\s"<>\\^`{|}]/.exec(host)?.[0] ?? '')} in host name`)
  return { user: at < 0 ? undefined : userText(authority.slice(0, at), whole), host, path: unescaped(path, whole) }
}

const userText = (text: string, whole: string): string => {
  const [name, password, hasPassword] = cut(text, ':')
  const written = [name, ...(hasPassword ? [password] : [])].map(part => escaped(unescaped(part, whole), 'user'))
  return written.join(':')
}

const hostname = (host: string): string => {
  const [, bracketed, name = ''] = /^(?:\[([^\]]*)\]|([^:]*))/.exec(host) ?? []
  return bracketed ?? name
}

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
  const login = user === '' ? '' : `${userText(user, user)}@`
  const hasAuthority = host !== '' || login !== '' || (scheme !== '' && path !== '')
  const written = escaped(path, 'path')
  const isAmbiguous = !hasAuthority && scheme === '' && (path.split('/')[0] ?? '').includes(':')
  const isRelative = host !== '' && path !== '' && !path.startsWith('/')
  return (hasAuthority ? `//${login}${host}` : '') + (isRelative ? '/' : isAmbiguous ? './' : '') + written
}

export const urls: FunctionTable = {
  urlJoin: fn('map', joined),
  urlParse: fn('string', text => toMap(parsed(text))),
}
