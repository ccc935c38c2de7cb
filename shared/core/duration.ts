// Durations as Go writes them: `1h30m`, `-1.5s`.

/** Seconds; undefined when Go could not read it. */
export const durationSeconds = (text: string): number | undefined => {
  const [, sign, body = ''] = /^([+-]?)(.*)$/s.exec(text) ?? []
  if (body === '0') return 0
  if (body.length > 100 || !/^((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(body)) return undefined
  const parts = [...body.matchAll(/([\d.]+)(ns|us|µs|μs|ms|s|m|h)/g)]
  const seconds = parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (secondsIn[unit] ?? 0), 0)
  return seconds > longestSeconds ? undefined : seconds * (sign === '-' ? -1 : 1)
}

/**
 * The same for waiting times in fields of our kinds, whose schema has this pattern: no sign, and at least a second, because a
 * shorter wait would be no rest.
 */
export const waitSeconds = (text: string): number | undefined => {
  const seconds = /^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$/.test(text) ? durationSeconds(text) : undefined
  return seconds !== undefined && seconds >= 1 ? seconds : undefined
}

/** What a waiting time must be, for error messages. */
export const waitExpected = 'a duration of at least 1s, like 90s or 1h30m'

const secondsIn: Readonly<Record<string, number>> = {
  ...{ ns: 1e-9, us: 1e-6, µs: 1e-6, μs: 1e-6 },
  ...{ ms: 1e-3, s: 1, m: 60, h: 3_600 },
}

/** Go counts nanoseconds in 64 bits. */
const longestSeconds = 2 ** 63 / 1e9
