// The calendar of an instant in its zone, and back.
import { Instant } from '../value/instant.ts'
import { offsetAt } from './zone.ts'

export type Calendar = {
  readonly year: number
  /** From 1. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly nanosecond: number
  /** From Sunday, 0. */
  readonly weekday: number
  readonly yearDay: number
  readonly offsetSeconds: number
  readonly zoneName: string
}

const perSecond = 1_000_000_000n

const floorDivide = (a: bigint, b: bigint): bigint => (a - (((a % b) + b) % b)) / b

/** Whole seconds since 1970. */
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

/** Years below 100 are those years; days and months beyond the end roll over. */
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

/** The year 1, Go's zero time. */
export const zeroInstant = (): Instant => instantAt({ year: 1, month: 1, day: 1 }, 'UTC')
