// How much memory all bodies of a listener take together, those that still arrive and those that are being answered. When
// there is no room for more, a body gives way that arrives more slowly than others: who sends 7 MiB a byte at a time, or
// stops in the middle, loses to whoever sends a review at once.
import { type Guest, givesWay } from './gives-way.ts'

export type BodyRoom = {
  /** A place for one body. `giveWay` is called when others need the room: the body is to be refused. */
  enter(from: string, giveWay: () => void): BodyPlace
}

export type BodyPlace = {
  /** Room for so many bytes instead of what it had, at the expense of others if need be. False: it lost its own place. */
  takes(bytes: number): boolean
  /** All of it has arrived: from now on it gives way to nobody. */
  isBeingAnswered(): void
  /** May be called more than once. */
  leave(): void
}

type Body = Guest & { weight: number; isBusy: boolean; readonly since: number; readonly giveWay: () => void }

/** `now` in milliseconds. */
export const bodyRoom = (bytesMost: number, now = (): number => performance.now()): BodyRoom => {
  const bodies = new Set<Body>()
  let bytesTaken = 0

  const leave = (body: Body): void => {
    if (bodies.delete(body)) bytesTaken -= body.weight
  }

  const bytesPerMillisecond = ({ weight, since }: Body): number => weight / (now() - since)

  const takes = (body: Body, bytes: number): boolean => {
    if (!bodies.has(body)) return false
    bytesTaken += bytes - body.weight
    body.weight = bytes
    while (bytesTaken > bytesMost) {
      const loser = givesWay(bodies, bytesPerMillisecond) ?? body
      leave(loser)
      if (loser === body) return false
      loser.giveWay()
    }
    return true
  }

  return {
    enter: (from, giveWay) => {
      const body: Body = { from, weight: 0, isBusy: false, since: now(), giveWay }
      bodies.add(body)
      return {
        takes: bytes => takes(body, bytes),
        isBeingAnswered: () => {
          body.isBusy = true
        },
        leave: () => leave(body),
      }
    },
  }
}
