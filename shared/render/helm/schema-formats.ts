// Checks the `format` of texts in a schema by Helm's rules; like Helm it ignores other formats.
import { RE2JS, RE2JSException } from 're2js'
import { recovered } from '../../core/decisions/reading.ts'
import { addressBytes } from '../../core/network/cidr.ts'
import { escaped, hostname, parseUrl, type Url, UrlFault, unescaped } from '../template/functions/urls.ts'
import { byteLength } from '../template/value/bytes.ts'

type Judge = (text: string) => boolean

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

const version =
  /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*)?(?:\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?$/

const isPattern: Judge = text =>
  recovered(
    RE2JSException,
    () => RE2JS.compile(text) !== undefined,
    () => false,
  )

const isHostname: Judge = text => {
  const name = text.replace(/\.$/, '')
  return name.length <= 253 && name.split('.').every(label => /^(?!-)[A-Za-z\d-]{1,63}(?<!-)$/.test(label))
}

const isEmail: Judge = text => {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  if (at < 0 || byteLength(text) > 254 || byteLength(local) > 64) return false
  return isLocalPart(local) && isDomain(text.slice(at + 1))
}

const isLocalPart: Judge = text =>
  text.length > 1 && text.startsWith('"')
    ? !/[\\"]/.test(text.slice(1, -1))
    : /^[A-Za-z\d.!#$%&'*+\-/=?^_`{|}~]*$/.test(text) && !/^\.|\.\.|\.$/.test(text)

const isDomain: Judge = text => {
  const [, isV6, address] = /^\[(IPv6:)?(.*)\]$/s.exec(text) ?? []
  return address === undefined ? isHostname(text) : addressBytes(address)?.length === (isV6 ? 16 : 4)
}

const isDate: Judge = text => {
  const [, year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number)
  if (year === undefined || month === undefined || day === undefined) return false
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

const isTime: Judge = text => {
  const parts = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[zZ]|([+-])(\d\d):(\d\d))$/.exec(text)
  if (!parts) return false
  const [hour = 0, minute = 0, second = 0] = parts.slice(1, 4).map(Number)
  const [zoneHour = 0, zoneMinute = 0] = parts.slice(5).map(part => Number(part ?? 0))
  if (hour > 23 || minute > 59 || second > 60 || zoneHour > 23 || zoneMinute > 59) return false
  const offset = (zoneHour * 60 + zoneMinute) * (parts[4] === '+' ? -1 : 1)
  const universal = hour * 60 + minute + offset
  return second < 60 || (universal < 0 ? universal + dayMinutes : universal) === dayMinutes - 1
}

const dayMinutes = 24 * 60

const isDateTime: Judge = text => /^.{10}t/is.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11))

const isDuration: Judge = text =>
  /^P(?:\d+W|(?=.)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=.)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/.test(text)

/** `START/END`, where one of both may be a duration. */
const isPeriod: Judge = text => {
  const slash = text.indexOf('/')
  const [start, end] = [text.slice(0, slash), text.slice(slash + 1)]
  if (slash < 0) return false
  if (start.startsWith('P')) return isDuration(start) && isDateTime(end)
  return isDateTime(start) && (end.startsWith('P') ? isDuration(end) : isDateTime(end))
}

const urlOf = (text: string): Url | undefined => {
  const url = recovered(
    UrlFault,
    () => parseUrl(text),
    () => undefined,
  )
  const name = hostname(url?.host ?? '')
  return !name.includes(':') || (url?.host.includes('[') && addressBytes(name)?.length === 16) ? url : undefined
}

const isUri: Judge = text => Boolean(urlOf(text)?.scheme)
const isReference: Judge = text => !text.includes('\\') && urlOf(text) !== undefined

/** Within a part of the path, braces must come in pairs and must not be nested. */
const isUriTemplate: Judge = text => {
  const url = urlOf(text)
  if (!url) return false
  if (escaped(url.path, 'path') === url.writtenPath) return true
  return url.writtenPath.split('/').every(part => /^[^{}]*(?:\{[^{}]*\}[^{}]*)*$/.test(unescaped(part)))
}

export const formats: Readonly<Record<string, Judge>> = {
  'date-time': isDateTime,
  'iri-reference': isReference,
  'json-pointer': text => /^(?:\/(?:[^~]|~[01])*)?$/.test(text),
  'relative-json-pointer': text => /^(?:0|[1-9]\d*)(?:#|(?:\/(?:[^~]|~[01])*)?)$/.test(text),
  'uri-reference': isReference,
  'uri-template': isUriTemplate,
  date: isDate,
  duration: isDuration,
  email: isEmail,
  hostname: isHostname,
  ipv4: text => addressBytes(text)?.length === 4,
  ipv6: text => addressBytes(text)?.length === 16,
  iri: isUri,
  period: isPeriod,
  regex: isPattern,
  semver: text => version.test(text),
  time: isTime,
  uri: isUri,
  uuid: text => uuid.test(text),
}
