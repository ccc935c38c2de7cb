// Calls every object of every function again within `sweepSeconds`, so that a lost event delays work and loses none.
import type { Reconciler } from '../reconcilers.ts'
import type { RelayClock } from '../time/clock.ts'
import type { Rounds } from './rounds.ts'

/**
 * A turn has six slices; each lists all objects and calls those whose place falls into it. An object that is created just after the
 * list of its slice waits for a turn and a slice at most. Example: sweepSeconds 3,500 gives slices of 500 s and turns of 3,000 s.
 */
const slices = 6

/** The first slice begins one slice from now, because the start calls everything; the returned function ends the sweep. */
export const startSweep = (
  reconcilers: readonly Reconciler[],
  { sweepSeconds, clock, rounds }: { sweepSeconds: number; clock: RelayClock; rounds: Rounds },
): (() => void) => {
  const sliceSeconds = sweepSeconds / (slices + 1)
  const begun = clock.monotonic()
  let slice = 0
  let callOff = () => {}
  const sweep = () => {
    const current = slice % slices
    slice++
    for (const reconciler of reconcilers) {
      const after = (_key: unknown, place: number) => secondsInto(current, place * slices, sliceSeconds)
      void rounds.run({ reconciler, after, why: `sweep ${current}` })
    }
    wait()
  }
  const wait = () => {
    callOff = clock.after(begun + (slice + 1) * sliceSeconds * 1000 - clock.monotonic(), sweep)
  }
  wait()
  return () => callOff()
}

/** `place` in slices: 2.5 is the middle of the third one. */
const secondsInto = (slice: number, place: number, sliceSeconds: number): number | undefined =>
  Math.floor(place) === slice ? (place - slice) * sliceSeconds : undefined
