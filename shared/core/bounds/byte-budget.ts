// Limits the bytes of all bodies or answers that are being received. If the limit is reached, the sender with the most bytes loses its
// slowest body first. Example: a body of 7 MiB that arrives byte by byte is dropped before a small review.
import { type Guest, givesWay } from './gives-way.ts'

export type ByteBudget = {
  /** Adds one body or answer. `giveWay` is called if this body must be dropped. */
  enter(from: string, giveWay: () => void): BytePlace
}

export type BytePlace = {
  /** Changes the size to `bytes`. Above the limit, bodies are dropped; false means that this body was dropped. */
  takes(bytes: number): boolean
  /** Call after the last byte arrived. From then on, this body cannot be dropped. */
  isBeingAnswered(): void
  /** May be called more than once. */
  leave(): void
}

type Held = Guest & { weight: number; isBusy: boolean; readonly since: number; readonly giveWay: () => void }

/** `now`: a monotonic time in milliseconds. `gaveWay` is called for each dropped body. */
export const byteBudget = (bytesMost: number, now: () => number, gaveWay = (): void => {}): ByteBudget => {
  const all = new Set<Held>()
  let bytesTaken = 0

  const leave = (held: Held): void => {
    if (all.delete(held)) bytesTaken -= held.weight
  }

  const bytesPerMillisecond = ({ weight, since }: Held): number => weight / (now() - since)

  const takes = (held: Held, bytes: number): boolean => {
    if (!all.has(held)) return false
    bytesTaken += bytes - held.weight
    held.weight = bytes
    while (bytesTaken > bytesMost) {
      const loser = givesWay(all, bytesPerMillisecond) ?? held
      leave(loser)
      gaveWay()
      if (loser === held) return false
      loser.giveWay()
    }
    return true
  }

  return {
    enter: (from, giveWay) => {
      const held: Held = { from, weight: 0, isBusy: false, since: now(), giveWay }
      all.add(held)
      return {
        takes: bytes => takes(held, bytes),
        isBeingAnswered: () => {
          held.isBusy = true
        },
        leave: () => leave(held),
      }
    },
  }
}
