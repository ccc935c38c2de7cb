// Times of restarts, in whole seconds since 1970: the times that Kubernetes writes into objects are no finer, so that two of the same
// second cannot be told apart.
import type { KubeObject } from '../../../../shared/core/object.ts'

/** How long whatever is on its way may show nothing new, and a sidecar may start, before somebody is told. */
export const settleSeconds = 600

/** By so much the clocks of our processes may differ. */
const skewSeconds = 60

export const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1000)

/** The second of a time in milliseconds. */
export const wholeSeconds = (milliseconds: number | undefined): number | undefined =>
  milliseconds === undefined ? undefined : Math.floor(milliseconds / 1000)

/** undefined for what is no time. */
export const secondsAt = (text: unknown): number | undefined => {
  const milliseconds = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000)
}

/** When it was made. */
export const madeAt = ({ metadata }: KubeObject): number => secondsAt(metadata.creationTimestamp) ?? 0

/** The same, and undefined for a time to come: it was made up. */
export const pastSecondsAt = (text: unknown, now: number): number | undefined => {
  const seconds = secondsAt(text)
  return seconds !== undefined && seconds <= now + skewSeconds ? seconds : undefined
}
