// Writes and reads times by Go's layouts. A layout shows the format of the time Mon Jan 2 15:04:05 MST 2006. Also the methods of Go's time.Time
// that templates call: `now.Year`, `(now).Format "2006"`.
import { Failure } from '../run/environment.ts'
import { quote } from '../syntax/literals.ts'
import { type FunctionTable, fn } from '../value/function.ts'
import { type GoValue, Instant, int64, Struct, type TemplateFunction } from '../value/value.ts'
import { type Calendar, calendarOf, durationText, instantAt, unixSeconds } from './calendar.ts'

const months: readonly string[] = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October'],
  ...['November', 'December'],
]
const weekdays: readonly string[] = [...['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']]

const element =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|2006|__2|_2(?!006)|00?2|0[13456]|15|PM|pm|[-Z]07:00:00|[-Z]070000|[-Z]07:00|[-Z]0700|[-Z]07|[.,](?:0+|9+)(?!\d)|[12345]/g

const elements = (layout: string): readonly string[] => {
  const found = [...layout.matchAll(element)]
  const parts: string[] = []
  let at = 0
  for (const { 0: text, index } of found) {
    if (index > at) parts.push(layout.slice(at, index))
    parts.push(text)
    at = index + text.length
  }
  return at < layout.length ? [...parts, layout.slice(at)] : parts
}

const two = (value: number): string => String(value).padStart(2, '0')
const year = (value: number): string => (value < 0 ? '-' : '') + String(Math.abs(value)).padStart(4, '0')

const writers: Readonly<Record<string, (at: Calendar) => string>> = {
  January: at => months[at.month - 1] ?? '',
  Jan: at => (months[at.month - 1] ?? '').slice(0, 3),
  Monday: at => weekdays[at.weekday] ?? '',
  Mon: at => (weekdays[at.weekday] ?? '').slice(0, 3),
  MST: at => at.zoneName || offset(at, '-0700'),
  '2006': at => year(at.year),
  '06': at => two(Math.abs(at.year) % 100),
  '01': at => two(at.month),
  '1': at => String(at.month),
  '02': at => two(at.day),
  _2: at => String(at.day).padStart(2),
  '2': at => String(at.day),
  '002': at => String(at.yearDay).padStart(3, '0'),
  __2: at => String(at.yearDay).padStart(3),
  '15': at => two(at.hour),
  '03': at => two(at.hour % 12 || 12),
  '3': at => String(at.hour % 12 || 12),
  '04': at => two(at.minute),
  '4': at => String(at.minute),
  '05': at => two(at.second),
  '5': at => String(at.second),
  PM: at => (at.hour >= 12 ? 'PM' : 'AM'),
  pm: at => (at.hour >= 12 ? 'pm' : 'am'),
}

const offset = ({ offsetSeconds }: Calendar, element: string): string => {
  if (element.startsWith('Z') && offsetSeconds === 0) return 'Z'
  const size = Math.abs(offsetSeconds)
  const numbers = [Math.floor(size / 3600), Math.floor(size / 60) % 60, size % 60].map(two)
  const parts = element.replaceAll(':', '').length
  return (offsetSeconds < 0 ? '-' : '+') + numbers.slice(0, (parts - 1) / 2).join(element.includes(':') ? ':' : '')
}

const fraction = ({ nanosecond }: Calendar, element: string): string => {
  const digits = String(nanosecond)
    .padStart(9, '0')
    .slice(0, element.length - 1)
  if (element[1] === '0') return element[0] + digits.padEnd(element.length - 1, '0')
  const kept = digits.replace(/0+$/, '')
  return kept === '' ? '' : element[0] + kept
}

const isOffset = (piece: string): boolean => /^[-Z]07/.test(piece)
const isFraction = (piece: string): boolean => /^[.,](0+|9+)$/.test(piece)
const isElement = (piece: string): boolean => Object.hasOwn(writers, piece) || isOffset(piece) || isFraction(piece)

export const formatInstant = (instant: Instant, layout: string): string => {
  const at = calendarOf(instant)
  return elements(layout)
    .map(piece => {
      if (isOffset(piece)) return offset(at, piece)
      if (isFraction(piece)) return fraction(at, piece)
      return Object.hasOwn(writers, piece) ? (writers[piece]?.(at) ?? '') : piece
    })
    .join('')
}

export const instantText = (instant: Instant): string =>
  formatInstant(instant, '2006-01-02 15:04:05.999999999 -0700 MST')

type Methods = Readonly<Record<string, (at: Instant) => TemplateFunction>>

const calendar =
  (does: (at: Calendar) => GoValue) =>
  (at: Instant): TemplateFunction =>
    fn('', () => does(calendarOf(at)))
const comparing =
  (does: (a: bigint, b: bigint) => boolean) =>
  (at: Instant): TemplateFunction =>
    fn('time', other => does(at.nanoseconds, other.nanoseconds))
const named = (type: string, text: string | undefined): Struct => new Struct(type, { text: text ?? '' })

const methods: Methods = {
  Format: at => fn('string', layout => formatInstant(at, layout)),
  String: at => fn('', () => instantText(at)),
  Unix: at => fn('', () => int64(unixSeconds(at))),
  UnixMilli: at => fn('', () => int64(at.nanoseconds / 1_000_000n)),
  UnixNano: at => fn('', () => int64(at.nanoseconds)),
  UTC: at => fn('', () => new Instant(at.nanoseconds)),
  Local: at => fn('', () => new Instant(at.nanoseconds)),
  Year: calendar(({ year }) => BigInt(year)),
  Month: calendar(({ month }) => named('time.Month', months[month - 1])),
  Day: calendar(({ day }) => BigInt(day)),
  Hour: calendar(({ hour }) => BigInt(hour)),
  Minute: calendar(({ minute }) => BigInt(minute)),
  Second: calendar(({ second }) => BigInt(second)),
  Nanosecond: calendar(({ nanosecond }) => BigInt(nanosecond)),
  Weekday: calendar(({ weekday }) => named('time.Weekday', weekdays[weekday])),
  YearDay: calendar(({ yearDay }) => BigInt(yearDay)),
  AddDate: at =>
    fn('int int int', (years, more, days) => {
      const clock = calendarOf(at)
      const moved = { ...clock, year: clock.year + years, month: clock.month + more, day: clock.day + days }
      return instantAt(moved, at.zone)
    }),
  Sub: at => fn('time', other => named('time.Duration', durationText(at.nanoseconds - other.nanoseconds))),
  Before: comparing((a, b) => a < b),
  After: comparing((a, b) => a > b),
  Equal: comparing((a, b) => a === b),
  IsZero: calendar(({ year, yearDay }) => year === 1 && yearDay === 1),
}

export const instantMethod = (at: Instant, name: string): FunctionTable[string] | undefined =>
  Object.hasOwn(methods, name) ? methods[name]?.(at) : undefined

type Read = Record<string, number | string>
type Reader = { readonly pattern: RegExp; readonly as: (text: string, read: Read) => void }

const number = (pattern: RegExp, field: string): Reader => ({
  pattern,
  as: (text, read) => {
    read[field] = Number(text)
  },
})

const nameOf = (names: readonly string[], field: string): Reader => ({
  pattern: new RegExp(`(?:${names.join('|')})`, 'iy'),
  as: (text, read) => {
    read[field] = names.findIndex(name => name.toLowerCase() === text.toLowerCase()) + 1
  },
})

const half: Reader = {
  pattern: /AM|PM/iy,
  as: (text, read) => {
    read.half = text.toUpperCase()
  },
}

const short = (names: readonly string[]): readonly string[] => names.map(name => name.slice(0, 3))

const readers: Readonly<Record<string, Reader>> = {
  January: nameOf(months, 'month'),
  Jan: nameOf(short(months), 'month'),
  Monday: nameOf(weekdays, 'weekday'),
  Mon: nameOf(short(weekdays), 'weekday'),
  MST: { pattern: /[A-Z]{3,5}|[+-]\d\d(?:\d\d)?/y, as: () => undefined },
  '2006': number(/\d{4}/y, 'year'),
  '06': {
    pattern: /\d\d/y,
    as: (text, read) => {
      read.year = Number(text) + (Number(text) >= 69 ? 1900 : 2000)
    },
  },
  '01': number(/\d\d/y, 'month'),
  '1': number(/\d\d?/y, 'month'),
  '02': number(/\d\d/y, 'day'),
  _2: number(/ ?\d\d?/y, 'day'),
  '2': number(/\d\d?/y, 'day'),
  '002': number(/\d{3}/y, 'yearDay'),
  __2: number(/ {0,2}\d{1,3}/y, 'yearDay'),
  '15': number(/\d\d/y, 'hour'),
  '03': number(/\d\d/y, 'hour'),
  '3': number(/\d\d?/y, 'hour'),
  '04': number(/\d\d/y, 'minute'),
  '4': number(/\d\d?/y, 'minute'),
  '05': number(/\d\d(?:[.,]\d+)?/y, 'second'),
  '5': number(/\d\d?(?:[.,]\d+)?/y, 'second'),
  PM: half,
  pm: half,
}

const zoneReader: Reader = {
  pattern: /Z|[+-]\d\d:?(?:\d\d)?(?::?\d\d)?/y,
  as: (text, read) => {
    const digits = text.replaceAll(/[+\-:Z]/g, '').padEnd(4, '0')
    const isZero = /^0*$/.test(digits)
    read.zone = isZero ? 'UTC' : `${text[0]}${digits.slice(0, 2)}:${digits.slice(2, 4)}`
  },
}

/** Reads a fraction. The reader of seconds may already have read the fraction. */
const fractionReader: Reader = {
  pattern: /(?:[.,]\d+)?/y,
  as: (text, read) => {
    if (text !== '') read.fraction = `0.${text.slice(1)}`
  },
}

const readerOf = (piece: string): Reader | undefined => {
  if (isOffset(piece)) return zoneReader
  if (isFraction(piece)) return fractionReader
  return Object.hasOwn(readers, piece) ? readers[piece] : undefined
}

/** A time without a zone is in UTC. Throws a Failure. */
export const parseInstant = (layout: string, text: string): Instant => {
  const read: Read = {}
  let at = 0
  for (const piece of elements(layout)) {
    const reader = isElement(piece) ? readerOf(piece) : undefined
    const found = reader === undefined ? literal(piece, text, at) : match(reader.pattern, text, at)
    if (found === undefined) throw cannotParse(layout, text, { rest: text.slice(at), piece })
    reader?.as(found, read)
    at += found.length
  }
  if (at < text.length) throw new Failure(`parsing time ${quote(text)}: extra text: ${quote(text.slice(at))}`)
  return checked(read, text)
}

const literal = (piece: string, text: string, at: number): string | undefined =>
  text.startsWith(piece, at) ? piece : undefined

const match = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

const cannotParse = (layout: string, text: string, { rest, piece }: { rest: string; piece: string }): Failure =>
  new Failure(`parsing time ${quote(text)} as ${quote(layout)}: cannot parse ${quote(rest)} as ${quote(piece)}`)

const ranges: Readonly<Record<string, readonly [number, number]>> = {
  month: [1, 12],
  day: [1, 31],
  hour: [0, 23],
  minute: [0, 59],
  second: [0, 59.999999999],
}

const checked = (read: Read, text: string): Instant => {
  const value = (field: string, usual: number): number => Number(read[field] ?? usual)
  for (const [field, [least, most]] of Object.entries(ranges)) {
    const given = value(field, least)
    if (given < least || given > most) throw new Failure(`parsing time ${quote(text)}: ${field} out of range`)
  }
  const [year, month, day] = [value('year', 0), value('month', 1), value('day', value('yearDay', 1))]
  if (read.yearDay === undefined && day > new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()) {
    throw new Failure(`parsing time ${quote(text)}: day out of range`)
  }
  const second = value('second', 0)
  const nanosecond = Math.round((value('fraction', 0) + (second % 1)) * 1e9)
  const hour = twelve(value('hour', 0), read.half)
  const clock = { year, month, day, hour, minute: value('minute', 0), second: Math.floor(second), nanosecond }
  return instantAt(clock, String(read.zone ?? 'UTC'))
}

const twelve = (hour: number, half: number | string | undefined): number => {
  if (half === undefined) return hour
  return (hour % 12) + (half === 'PM' ? 12 : 0)
}
