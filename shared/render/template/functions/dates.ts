// sprig's functions on times. `now` is the start of the revision, and `Local` is UTC, so that every rendering gives the same result.
import { recovered } from '../../../core/decisions/reading.ts'
import { Failure } from '../run/environment.ts'
import { durationText, knownZone, parseDuration, second, unixSeconds, zeroInstant } from '../time/calendar.ts'
import { formatInstant, parseInstant } from '../time/layout.ts'
import { type FunctionTable, fn, within } from '../value/function.ts'
import { type Call, type GoValue, Instant, instantOf, Sized, type TemplateFunction } from '../value/value.ts'

const now = ({ environment }: Call): Instant => instantOf(environment.context.now)

/** A time, or seconds since 1970; `now` for every other value. */
const instantFor = (call: Call, value: GoValue, kinds: readonly string[]): Instant => {
  if (value instanceof Instant) return value
  if (typeof value === 'bigint') return new Instant(value * second)
  if (value instanceof Sized && kinds.includes(value.kind)) return new Instant(value.value * second)
  return now(call)
}

const inZone = (call: Call, layout: string, value: GoValue, zone: string): string => {
  const { nanoseconds } = instantFor(call, value, ['int64', 'int32'])
  return formatInstant(new Instant(nanoseconds, knownZone(zone)), layout)
}

const moved = (by: string, at: Instant): Instant => new Instant(at.nanoseconds + parseDuration(by), at.zone)

const size = (value: bigint): bigint => (value < 0n ? -value : value)

/** Nanoseconds as seconds. Halves are rounded away from zero. */
const rounded = (nanoseconds: bigint): bigint => {
  const seconds = (size(nanoseconds) + second / 2n) / second
  return nanoseconds < 0n ? -seconds : seconds
}

const seconds = (value: GoValue): bigint => {
  if (value instanceof Sized && value.kind === 'int64') return value.value
  return typeof value === 'string' && /^[+-]?\d+$/.test(value) ? BigInt(value.replace('+', '')) : 0n
}

const hour = 3600n * second
const roundUnits = [
  ['y', 24n * 365n * hour],
  ['mo', 24n * 30n * hour],
  ['d', 24n * hour],
  ['h', hour],
  ['m', 60n * second],
  ['s', second],
] as const

const roundedDuration = (nanoseconds: bigint): string => {
  const length = size(nanoseconds)
  const found = roundUnits.find(([, unit]) => length > unit)
  return found === undefined ? '0s' : `${length / found[1]}${found[0]}`
}

const durationOf = (call: Call, value: GoValue): bigint => {
  if (typeof value === 'string')
    return recovered(
      Failure,
      () => parseDuration(value),
      () => 0n,
    )
  if (value instanceof Instant) return now(call).nanoseconds - value.nanoseconds
  return value instanceof Sized && value.kind === 'int64' ? value.value : 0n
}

const zoned: TemplateFunction = within('string any string', inZone)
const modify = fn('string time', (by, at) =>
  recovered(
    Failure,
    () => moved(by, at),
    () => at,
  ),
)
const mustModify = fn('string time', moved)

export const dates: FunctionTable = {
  ago: within('any', (call, value) => {
    const passed = now(call).nanoseconds - instantFor(call, value, ['int64']).nanoseconds
    return durationText(rounded(passed) * second)
  }),
  date: within('string any', (call, layout, value) => inZone(call, layout, value, 'Local')),
  dateInZone: zoned,
  dateModify: modify,
  date_in_zone: zoned,
  date_modify: modify,
  duration: fn('any', value => durationText(seconds(value) * second)),
  durationRound: within('any', (call, value) => roundedDuration(durationOf(call, value))),
  htmlDate: within('any', (call, value) => inZone(call, '2006-01-02', value, 'Local')),
  htmlDateInZone: within('any string', (call, value, zone) => inZone(call, '2006-01-02', value, zone)),
  mustDateModify: mustModify,
  mustToDate: fn('string string', parseInstant),
  must_date_modify: mustModify,
  now: within('', now),
  toDate: fn('string string', (layout, text) => recovered(Failure, () => parseInstant(layout, text), zeroInstant)),
  unixEpoch: fn('time', at => String(unixSeconds(at))),
}
