// The methods of Go's time.Time that templates call: `now.Year`, `(now).Format "2006"`.

import { type FunctionTable, fn } from '../value/signature.ts'
import { type GoValue, Instant, int64, Struct, type TemplateFunction } from '../value/value.ts'
import { type Calendar, calendarOf, instantAt, unixSeconds } from './calendar.ts'
import { durationText } from './duration.ts'
import { formatInstant, instantText, months, weekdays } from './layout.ts'

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
