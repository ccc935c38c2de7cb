// Formats times as Kubernetes does: UTC, with seconds in objects and microseconds in Leases and Events.
//
//   kubeTime(new Date('2026-01-02T03:04:05.678Z')) // '2026-01-02T03:04:05Z'
//   kubeMicroTime(new Date('2026-01-02T03:04:05.678Z')) // '2026-01-02T03:04:05.678000Z'

export const kubeTime = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`

/** Maximum clock difference between our processes. */
export const skewSeconds = 60

/** The text, if it is a time in the past; otherwise undefined. A future time comes from a wrong clock or was made up. */
export const timePassed = (text: string | undefined, now: Date): string | undefined =>
  text !== undefined && Date.parse(text) <= now.getTime() + skewSeconds * 1000 ? text : undefined

/** undefined when JavaScript cannot parse the text. An API server also accepts the leap second `2026-03-01T23:59:60Z`. */
export const unixSeconds = (text = ''): number | undefined => {
  const seconds = Math.floor(Date.parse(text) / 1000)
  return Number.isNaN(seconds) ? undefined : seconds
}

export const kubeMicroTime = (time: Date): string => `${time.toISOString().slice(0, 23)}000Z`
