// Times as Kubernetes writes them: UTC, with seconds in objects and microseconds in Leases and Events.
//
//   kubeTime(new Date('2026-01-02T03:04:05.678Z')) // '2026-01-02T03:04:05Z'
//   kubeMicroTime(new Date('2026-01-02T03:04:05.678Z')) // '2026-01-02T03:04:05.678000Z'

export const kubeTime = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`

/** How far the clocks of our processes may differ. */
export const skewSeconds = 60

/** The time as it was written. undefined: it is none, or still to come, so that a clock was wrong when it was written, or somebody made it up. */
export const timePassed = (text: string | undefined, now: Date): string | undefined =>
  text !== undefined && Date.parse(text) <= now.getTime() + skewSeconds * 1000 ? text : undefined

/** undefined: the text is no time for JavaScript. An API server also takes the leap second `2026-03-01T23:59:60Z`. */
export const unixSeconds = (text = ''): number | undefined => {
  const seconds = Math.floor(Date.parse(text) / 1000)
  return Number.isNaN(seconds) ? undefined : seconds
}

export const kubeMicroTime = (time: Date): string => `${time.toISOString().slice(0, 23)}000Z`
