// Times of restarts, in whole unix seconds: times in Kubernetes objects are no finer, so nobody knows which of two in the same second
// came first.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { skewSeconds } from '../../../../shared/core/time/kube-time.ts'

/** How long a rollout may show no new Pod, or a sidecar may be starting, before that counts as stuck. */
export const settleSeconds = 600

export const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1000)

/** The second of a time in milliseconds. */
export const wholeSeconds = (milliseconds: number | undefined): number | undefined =>
  milliseconds === undefined ? undefined : Math.floor(milliseconds / 1000)

/** undefined: the text is no time. */
export const secondsAt = (text: unknown): number | undefined => {
  const milliseconds = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000)
}

/** When the object was created. */
export const madeAt = ({ metadata }: KubeObject): number => secondsAt(metadata.creationTimestamp) ?? 0

/** Like secondsAt, but undefined for a time in the future, which somebody must have made up. */
export const pastSecondsAt = (text: unknown, now: number): number | undefined => {
  const seconds = secondsAt(text)
  return seconds !== undefined && seconds <= now + skewSeconds ? seconds : undefined
}
