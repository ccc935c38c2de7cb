// For what no event tells: it is asked for again and again.
import { setTimeout as wait } from 'node:timers/promises'

const pauseMilliseconds = 25

/** Resolves as soon as it is so; fails after `seconds`, and says what did not come about. */
export const eventually = async (what: string, isSo: () => Promise<boolean>, seconds = 30): Promise<void> => {
  const deadline = performance.now() + seconds * 1000
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`not so after ${seconds} s: ${what}`)
    await wait(pauseMilliseconds)
  }
}
