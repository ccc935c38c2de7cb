// When a runtime may be updated with downtime: maintenance windows of a policy. The file of the policy has the format of the Go operator:
//
//   { "rules": [{ "match": { "plan": "trial|free" }, "windows": [{ "days": ["Fri"], "begin": "22:00:00+02:00", "end": "03:00:00+02:00" }] }],
//     "default": { "days": ["Sat", "Sun"], "begin": "08:00:00Z", "end": "12:00:00Z" } }
import { RE2JS } from 're2js'
import { attempted, type Reading } from '../../../shared/core/decisions/reading.ts'
import { isMap, isText, type JsonMap, mapOrEmpty, sameJson } from '../../../shared/core/json/json.ts'

export type WindowPolicy = {
  readonly rules: readonly WindowRule[]
  readonly default: readonly Window[]
}

type WindowRule = {
  readonly match: Readonly<Partial<Record<RuntimeTrait, RE2JS>>>
  readonly windows: readonly Window[]
}

/** Labels of a Kyma that a rule may match. */
type RuntimeTrait = 'globalAccountID' | 'plan' | 'region' | 'platformRegion'
export type RuntimeTraits = Readonly<Partial<Record<RuntimeTrait, string>>>

type Window =
  | { readonly is: 'once'; readonly begin: number; readonly end: number }
  /** `begin`: seconds of the day, in a time zone that is `zoneSeconds` ahead of UTC. `lasts`: seconds, at most a day. */
  | {
      readonly is: 'weekly'
      readonly days: readonly number[]
      readonly begin: number
      readonly zoneSeconds: number
      readonly lasts: number
    }

/** A period in which updates are allowed, in milliseconds. */
type Span = { readonly begin: number; readonly end: number }

type WindowVerdict =
  | { readonly isOpen: true }
  /** `next`: when the next window opens. Absent: no next window is known. */
  | { readonly isOpen: false; readonly next?: Date }

const traits: readonly RuntimeTrait[] = ['globalAccountID', 'plan', 'region', 'platformRegion']
const dayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const daySeconds = 86_400

export const windowPolicy = (text: string): Reading<WindowPolicy> =>
  attempted(() => {
    const policy = JSON.parse(text)
    if (!isMap(policy)) throw new Error('the policy is not a JSON object')
    const { rules, default: otherwise } = inAnyCase(policy)
    return { rules: listOf(rules, 'rules').map(ruleIn), default: windowsIn(otherwise, 'default') }
  })

/** Whether the runtime may be updated now: a window is open and stays open for longer than `restSeconds`. */
export const windowVerdict = (
  policy: WindowPolicy,
  runtime: RuntimeTraits,
  { now, restSeconds }: { now: Date; restSeconds: number },
): WindowVerdict => {
  const time = now.getTime()
  const rule = policy.rules.find(({ match }) => isMatch(match, runtime))
  const ruled = spansOf(rule?.windows ?? [], time)
  const spans = ruled.some(({ end }) => end > time) ? ruled : spansOf(policy.default, time)
  if (spans.some(({ begin, end }) => begin <= time && end - time > restSeconds * 1_000)) return { isOpen: true }
  const begins = spans.flatMap(({ begin }) => (begin > time ? begin : []))
  return { isOpen: false, ...(begins.length > 0 && { next: new Date(Math.min(...begins)) }) }
}

const isMatch = (match: WindowRule['match'], runtime: RuntimeTraits): boolean =>
  traits.some(trait => runtime[trait] && match[trait]?.matcher(runtime[trait]).find())

/** From yesterday's windows, which may last past midnight, to the windows of the same weekday next week. */
const spansOf = (windows: readonly Window[], time: number): Span[] =>
  windows.flatMap(window => spansOfOne(window, time))

const spansOfOne = (window: Window, time: number): Span[] => {
  if (window.is === 'once') return [window]
  const today = Math.floor(time / 1_000 / daySeconds + window.zoneSeconds / daySeconds)
  const days = Array.from({ length: 10 }, (_, offset) => today - 1 + offset)
  return days
    .filter(day => window.days.includes(weekdayOf(day)))
    .map(day => {
      const begin = (day * daySeconds + window.begin - window.zoneSeconds) * 1_000
      return { begin, end: begin + window.lasts * 1_000 }
    })
}

/** Day 0 was a Thursday. */
const weekdayOf = (day: number): number => (((day + 4) % 7) + 7) % 7

/** Go ignores the case of field names, so `globalAccountId` is also valid. */
const inAnyCase = (value: unknown): JsonMap =>
  Object.fromEntries(Object.entries(mapOrEmpty(value)).map(([name, field]) => [name.toLowerCase(), field]))

const ruleIn = (rule: unknown, at: number): WindowRule => {
  const { match, windows } = inAnyCase(rule)
  return { match: matchIn(match, `rules[${at}].match`), windows: windowsIn(windows, `rules[${at}].windows`) }
}

/** An absent or empty expression matches nothing. */
const matchIn = (match: unknown, field: string): WindowRule['match'] => {
  if (match === undefined || match === null) return {}
  if (!isMap(match)) throw new Error(`${field} is not an object`)
  const given = inAnyCase(match)
  const expressions = traits.map(trait => ({ trait, text: given[trait.toLowerCase()] }))
  return Object.fromEntries(
    expressions.flatMap(({ trait, text }) => (isText(text) ? [[trait, RE2JS.compile(text)]] : [])),
  )
}

/**
 * A list of windows, or a single window; empty if the field is absent. An empty object, as Go writes a window without values, is ignored.
 */
const windowsIn = (value: unknown, field: string): Window[] =>
  (isMap(value) ? [value] : listOf(value, field)).flatMap((window, at) =>
    sameJson(window, {}) ? [] : windowIn(window, `${field}[${at}]`),
  )

const listOf = (value: unknown, field: string): readonly unknown[] => {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value
  throw new Error(`${field} is not a list`)
}

const windowIn = (value: unknown, field: string): Window => {
  const { days, begin, end } = inAnyCase(value)
  const names = listOf(days, `${field}.days`)
  if (names.length === 0)
    return { is: 'once', begin: instant(begin, `${field}.begin`), end: instant(end, `${field}.end`) }
  const [from, to] = [timeOfDay(begin, `${field}.begin`), timeOfDay(end, `${field}.end`)]
  const apart = to.seconds - to.zoneSeconds - (from.seconds - from.zoneSeconds)
  const lasts = ((apart % daySeconds) + daySeconds) % daySeconds || daySeconds
  const numbers = names.map((name, at) => dayNumber(name, `${field}.days[${at}]`))
  return { is: 'weekly', days: numbers, begin: from.seconds, zoneSeconds: from.zoneSeconds, lasts }
}

const dayNumber = (name: unknown, field: string): number => {
  const number = dayNames.indexOf(String(name))
  if (number < 0) throw new Error(`${field} is not a day such as Mon`)
  return number
}

const instant = (value: unknown, field: string): number => {
  const isSpelledSo = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(String(value))
  const time = isSpelledSo ? Date.parse(String(value)) : Number.NaN
  if (Number.isNaN(time)) throw new Error(`${field} is not a time such as 2026-11-21T08:00:00Z`)
  return time
}

/** If the value also has a date, only the time counts. */
const timeOfDay = (value: unknown, field: string): { seconds: number; zoneSeconds: number } => {
  const parts = /^(?:\d{4}-\d\d-\d\dT)?([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.\d+)?(Z|([+-])(\d\d):([0-5]\d))$/.exec(
    String(value),
  )
  if (!parts) throw new Error(`${field} is not a time such as 22:00:00+02:00`)
  const [, hours, minutes, seconds, , sign, zoneHours = 0, zoneMinutes = 0] = parts
  const zone = Number(zoneHours) * 3_600 + Number(zoneMinutes) * 60
  return {
    seconds: Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds),
    zoneSeconds: sign === '-' ? -zone : zone,
  }
}
