// Waits, for tests of the user's own functions.
import { setTimeout as wait } from 'node:timers/promises'

const lookMilliseconds = 25
const patienceSeconds = 30

/** Checks until `isSo` is true. If this takes too long, rejects with the sentence and the result of `found`. */
export const eventually = async (
  sentence: string,
  isSo: () => Promise<boolean>,
  { seconds = patienceSeconds, found = () => '' }: { seconds?: number; found?: () => string } = {},
): Promise<void> => {
  const until = performance.now() + seconds * 1_000
  while (!(await isSo())) {
    if (performance.now() > until) throw new Error(`${sentence}: not after ${seconds} s${found()}`)
    await wait(lookMilliseconds)
  }
}
