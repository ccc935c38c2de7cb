// Parses durations of Go, such as `1h30m` and `-1.5s`.

export const durationSeconds = (text: string): number | undefined => {
  const nanos = durationNanos(text)
  return nanos === undefined ? undefined : Number(nanos) / 1e9
}

/** Exact nanoseconds. Fractions of a nanosecond are dropped. */
export const durationNanos = (text: string): bigint | undefined => {
  const [, sign, body = ''] = /^([+-]?)(.*)$/s.exec(text) ?? []
  if (body === '0') return 0n
  if (body.length > 100 || !/^((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(body)) return undefined
  const parts = [...body.matchAll(/(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g)]
  const nanos = parts.reduce((sum, [, whole = '', fraction = '', unit = '']) => sum + amount(whole, fraction, unit), 0n)
  return nanos > longestNanos ? undefined : sign === '-' ? -nanos : nanos
}

const amount = (whole: string, fraction: string, unit: string): bigint =>
  (BigInt(whole + fraction) * (nanosIn[unit] ?? 0n)) / 10n ** BigInt(fraction.length)

/** Reads durations in fields of our kinds: no sign, and at least one second. undefined for other texts. */
export const waitSeconds = (text: string): number | undefined => {
  const seconds = /^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$/.test(text) ? durationSeconds(text) : undefined
  return seconds !== undefined && seconds >= 1 ? seconds : undefined
}

export const waitExpected = 'a duration of at least 1s, like 90s or 1h30m'

export const nanosIn: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}

/** Go stores durations in 64 bits. */
const longestNanos = 2n ** 63n - 1n
