// The calendar of an instant in its zone, and back; durations in nanoseconds, written as `1h30m0s`. `Local` is UTC, because a rendering must not
// depend on its machine.
import { nanosIn } from '../../../core/time/duration.ts'
import { Failure } from '../run/environment.ts'
import { quote } from '../syntax/literals.ts'
import { Instant } from '../value/value.ts'

export type Calendar = {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly nanosecond: number
  /** 0 is Sunday. */
  readonly weekday: number
  readonly yearDay: number
  readonly offsetSeconds: number
  readonly zoneName: string
}

const perSecond = 1_000_000_000n

const floorDivide = (a: bigint, b: bigint): bigint => (a - (((a % b) + b) % b)) / b

export const unixSeconds = (instant: Instant): bigint => floorDivide(instant.nanoseconds, perSecond)

export const calendarOf = (instant: Instant): Calendar => {
  const { seconds: offsetSeconds, name } = offsetAt(instant)
  const seconds = unixSeconds(instant)
  const date = new Date((Number(seconds) + offsetSeconds) * 1000)
  const newYear = utcDate({ year: date.getUTCFullYear(), month: 1, day: 1 })
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    nanosecond: Number(instant.nanoseconds - seconds * perSecond),
    weekday: date.getUTCDay(),
    yearDay: Math.floor((date.getTime() - newYear.getTime()) / 86_400_000) + 1,
    offsetSeconds,
    zoneName: name,
  }
}

type Clock = {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour?: number
  readonly minute?: number
  readonly second?: number
  readonly nanosecond?: number
}

/** A year below 100 is not in the 20th century. Days and months beyond the end roll over. */
const utcDate = ({ year, month, day, hour = 0, minute = 0, second = 0 }: Clock): Date => {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second)
  return date
}

export const instantAt = (clock: Clock, zone: string): Instant => {
  const local = BigInt(utcDate(clock).getTime()) * 1_000_000n + BigInt(clock.nanosecond ?? 0)
  const guess = offsetAt(new Instant(local, zone)).seconds
  const better = offsetAt(new Instant(local - BigInt(guess) * perSecond, zone)).seconds
  return new Instant(local - BigInt(better) * perSecond, zone)
}

/** The year 1: Go's zero time. */
export const zeroInstant = (): Instant => instantAt({ year: 1, month: 1, day: 1 }, 'UTC')

type Offset = { readonly seconds: number; readonly name: string }

const utc: Offset = { seconds: 0, name: 'UTC' }
const millisecond = 1_000_000n

export const knownZone = (name: string): string => {
  if (name === '' || name === 'Local' || name === 'UTC') return 'UTC'
  if (/^[+-]/.test(name)) return 'UTC'
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone ? name : 'UTC'
  } catch (error) {
    if (error instanceof RangeError) return 'UTC'
    throw error
  }
}

/** The zone of an instant is a name, or an offset such as `+02:00`. */
const offsetAt = (instant: Instant): Offset => {
  if (instant.zone === 'UTC') return utc
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(instant.zone) ?? []
  if (sign !== undefined) {
    const seconds = (Number(hours) * 60 + Number(minutes)) * 60
    return { seconds: sign === '-' ? -seconds : seconds, name: '' }
  }
  return named(instant)
}

const fields = { hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' } as const
const clock = { hour: 'numeric', minute: 'numeric', second: 'numeric', timeZoneName: 'short', era: 'short' } as const

const named = ({ nanoseconds, zone: timeZone }: Instant): Offset => {
  const date = new Date(Number(nanoseconds / millisecond))
  // British English has abbreviations of European zones. American English has abbreviations of American zones.
  const [british, american] = ['en-GB', 'en-US'].map(locale =>
    Object.fromEntries(
      new Intl.DateTimeFormat(locale, { ...fields, ...clock, timeZone })
        .formatToParts(date)
        .map(p => [p.type, p.value]),
    ),
  )
  const part = (name: string): number => Number(american?.[name] ?? 0)
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
  const seconds = Math.round((local - Math.floor(date.getTime() / 1000) * 1000) / 1000)
  const name = [american, british].map(parts => parts?.timeZoneName ?? '').find(text => /^[A-Z]{3,5}$/.test(text))
  return { seconds, name: name ?? numeric(seconds) }
}

/** `+03`: the time zone database's name for a zone without letters. */
const numeric = (seconds: number): string => {
  const minutes = Math.abs(Math.trunc(seconds / 60))
  const hours = String(Math.trunc(minutes / 60)).padStart(2, '0')
  return `${seconds < 0 ? '-' : '+'}${hours}${minutes % 60 === 0 ? '' : String(minutes % 60).padStart(2, '0')}`
}

const part = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y
export const second = 1_000_000_000n

export const parseDuration = (text: string): bigint => {
  const body = text.replace(/^[+-]/, '')
  if (body === '0') return 0n
  let total = 0n
  let at = 0
  for (part.lastIndex = 0; at < body.length; at = part.lastIndex) {
    const [, whole = '', digits = '', unit = ''] = part.exec(body) ?? []
    const size = nanosIn[unit]
    if (size === undefined || whole + digits === '') throw new Failure(fault(text, body.slice(at)))
    total += BigInt(whole || '0') * size + (BigInt(digits || '0') * size) / 10n ** BigInt(digits.length)
  }
  if (body === '') throw new Failure(fault(text, ''))
  return text.startsWith('-') ? -total : total
}

const fault = (text: string, rest: string): string => {
  const [, digits = '', unit = ''] = /^([\d.]*)([^\d.]*)/.exec(rest) ?? []
  if (digits.replaceAll('.', '') === '') return `time: invalid duration ${quote(text)}`
  return unit === ''
    ? `time: missing unit in duration ${quote(text)}`
    : `time: unknown unit ${quote(unit)} in duration ${quote(text)}`
}

export const durationText = (nanoseconds: bigint): string => {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds
  const sign = nanoseconds < 0n ? '-' : ''
  if (size === 0n) return '0s'
  const small = (['ns', 'µs', 'ms'] as const).find((_, index) => size < 1_000n ** BigInt(index + 1))
  if (small !== undefined) return `${sign}${ratio(size, nanosIn[small] ?? 1n)}${small}`
  const minutes = size / (60n * second)
  const rest = `${ratio(size % (60n * second), second)}s`
  if (minutes === 0n) return sign + rest
  const hours = minutes / 60n
  return `${sign}${hours === 0n ? '' : `${hours}h`}${minutes % 60n}m${rest}`
}

const ratio = (size: bigint, unit: bigint): string => {
  const part = String(size % unit)
    .padStart(String(unit).length - 1, '0')
    .replace(/0+$/, '')
  return `${size / unit}${part === '' ? '' : `.${part}`}`
}
