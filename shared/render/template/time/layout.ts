// Writes times by Go's layouts. A layout shows the format of the time Mon Jan 2 15:04:05 MST 2006. Also the methods of Go's time.Time that
// templates call: `now.Year`, `(now).Format "2006"`.

import { type FunctionTable, fn } from '../value/signature.ts'
import { type GoValue, Instant, int64, Struct, type TemplateFunction } from '../value/value.ts'
import { type Calendar, calendarOf, instantAt, unixSeconds } from './calendar.ts'
import { durationText } from './duration.ts'

export const months: readonly string[] = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October'],
  ...['November', 'December'],
]
export const weekdays: readonly string[] = [
  ...['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
]

const element =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|2006|__2|_2(?!006)|00?2|0[13456]|15|PM|pm|[-Z]07:00:00|[-Z]070000|[-Z]07:00|[-Z]0700|[-Z]07|[.,](?:0+|9+)(?!\d)|[12345]/g

export const elements = (layout: string): readonly string[] => {
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

export const isOffset = (piece: string): boolean => /^[-Z]07/.test(piece)
export const isFraction = (piece: string): boolean => /^[.,](0+|9+)$/.test(piece)
export const isElement = (piece: string): boolean =>
  Object.hasOwn(writers, piece) || isOffset(piece) || isFraction(piece)

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
