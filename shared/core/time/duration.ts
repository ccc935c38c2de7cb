// Parses durations of Go, such as `1h30m` and `-1.5s`, and formats durations and ages as kubectl does: `125m`, `2d5h`.

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

const steps: readonly [below: number, text: (seconds: number) => string][] = [
  [120, seconds => `${seconds}s`],
  [600, seconds => withRest(Math.floor(seconds / 60), 'm', seconds % 60, 's')],
  [10_800, seconds => `${Math.floor(seconds / 60)}m`],
  [28_800, seconds => withRest(Math.floor(seconds / 3600), 'h', Math.floor(seconds / 60) % 60, 'm')],
  [172_800, seconds => `${Math.floor(seconds / 3600)}h`],
  [691_200, seconds => withRest(Math.floor(seconds / 86_400), 'd', Math.floor(seconds / 3600) % 24, 'h')],
  [63_072_000, seconds => `${Math.floor(seconds / 86_400)}d`],
  [252_288_000, seconds => withRest(Math.floor(seconds / 31_536_000), 'y', Math.floor(seconds / 86_400) % 365, 'd')],
]

const withRest = (count: number, unit: string, rest: number, restUnit: string): string =>
  rest === 0 ? `${count}${unit}` : `${count}${unit}${rest}${restUnit}`

export const kubectlDuration = (seconds: number): string => {
  if (seconds < -1) return '<invalid>'
  const whole = Math.max(0, Math.floor(seconds))
  return steps.find(([below]) => whole < below)?.[1](whole) ?? `${Math.floor(whole / 31_536_000)}y`
}
