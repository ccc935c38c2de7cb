// Formats durations and ages as kubectl does: `125m`, `2d5h`.

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
