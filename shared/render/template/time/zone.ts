// Time zones by name. `Local` is UTC: a rendering must not depend on the machine that it happens on.
import type { Instant } from '../value/instant.ts'

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

/** How far a zone is from UTC at an instant: a name, or an offset such as `+02:00`. */
export const offsetAt = (instant: Instant): Offset => {
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
  // British English knows the European names, American English the American ones.
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

/** `+03`, as the database names zones that have no letters. */
const numeric = (seconds: number): string => {
  const minutes = Math.abs(Math.trunc(seconds / 60))
  const hours = String(Math.trunc(minutes / 60)).padStart(2, '0')
  return `${seconds < 0 ? '-' : '+'}${hours}${minutes % 60 === 0 ? '' : String(minutes % 60).padStart(2, '0')}`
}
