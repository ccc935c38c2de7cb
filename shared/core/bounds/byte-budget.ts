// How many bytes may be held at once by all who receive something, together: all of callers, or answers of remote clusters. When
// there is no room for more, whoever has most gives way, and of what it sends the slowest: who sends 7 MiB a byte at a time
// loses to whoever sends a review at once. The time is always handed in.
import { type Guest, givesWay } from './gives-way.ts'

export type ByteBudget = {
  /** A place for one body or answer. `giveWay` is called when others need its room: it is to be broken off. */
  enter(from: string, giveWay: () => void): BytePlace
}

export type BytePlace = {
  /** Room for so many bytes instead of what it had, at the expense of others if need be. False: it lost its own place. */
  takes(bytes: number): boolean
  /** All of it has arrived: from now on it gives way to nobody. */
  isBeingAnswered(): void
  /** May be called more than once. */
  leave(): void
}

type Held = Guest & { weight: number; isBusy: boolean; readonly since: number; readonly giveWay: () => void }

/** `now` in milliseconds that only grow; `gaveWay` is called for each that loses its place. */
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
