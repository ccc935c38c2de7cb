// Calls every object of every function again within `sweepSeconds`, so that a lost event delays work and loses none.

import type { Reconciler } from '../reconcilers.ts'
import type { RelayClock } from '../time/clock.ts'
import type { Rounds } from './rounds.ts'

/**
 * Every key has its place in a turn, and a turn is cut into slices, each with a list of its own. A key that appears just
 * after the list of its slice waits for a whole turn and a slice: so turn and slice together make the sweep's time.
 */
const slices = 6

/** Begins one slice after now, as everything is called at the start anyway; the answer ends it. */
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
