// Durations as people write them in specs and annotations: `90s`, `1h30m`, `1.5h`.

const shape = /^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$/

const secondsPer: Readonly<Record<string, number>> = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 }

/** undefined for what is no duration. */
export const secondsOf = (text: string): number | undefined => {
  if (!shape.test(text)) return undefined
  const parts = [...text.matchAll(/([0-9.]+)(ns|us|µs|ms|s|m|h)/g)]
  return parts.reduce((seconds, [, number, unit = '']) => seconds + Number(number) * (secondsPer[unit] ?? 0), 0)
}
