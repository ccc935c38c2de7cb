// When to look again, from timestamps alone: no call remembers how often it was here before.
import { createHash } from 'node:crypto'

const ages: readonly { readonly belowSeconds: number; readonly waitSeconds: number }[] = [
  { belowSeconds: 20, waitSeconds: 1 },
  { belowSeconds: 80, waitSeconds: 2 },
  { belowSeconds: Number.POSITIVE_INFINITY, waitSeconds: 10 },
]

/** How long to wait for what has been going on since the latest of these moments. */
export const secondsByAge = (now: Date, since: readonly (string | undefined)[]): number => {
  const moments = since.flatMap(time => (time ? Date.parse(time) : []))
  const age = moments.length > 0 ? (now.getTime() - Math.max(...moments)) / 1000 : 0
  return ages.find(({ belowSeconds }) => age < belowSeconds)?.waitSeconds ?? 10
}

/** Doubles with time: as long again as it has been so already. */
export const secondsAfterError = (now: Date, since: string | undefined): number => {
  const age = since === undefined ? 0 : (now.getTime() - Date.parse(since)) / 1000
  return Math.min(600, Math.max(1, age))
}

/** From 10 s up 1 to 5 % more, always the same for one component: so that a thousand don't come back at once. */
export const spread = (seconds: number, uid: string): number => {
  if (seconds < 10) return seconds
  const part = createHash('sha256').update(uid).digest().readUInt16BE() / 0xffff
  return seconds * (1.01 + 0.04 * part)
}
