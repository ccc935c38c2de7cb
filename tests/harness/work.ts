// How much work something is, for tests that must not depend on how busy the machine is: the CPU time of this thread alone,
// told in multiples of a fixed piece of work that is done beside it.
import type { Test } from 'tap'

const text = JSON.stringify(Array.from({ length: 40_000 }, (_, n) => ({ name: `object-${n}`, labels: { a: 'b', n } })))

/** Some 20 ms on a machine of today. */
const yardstick = (): unknown => JSON.parse(text)

const millisecondsOf = async (act: () => unknown): Promise<number> => {
  const begun = process.threadCpuUsage()
  await act()
  const { user, system } = process.threadCpuUsage(begun)
  return (user + system) / 1_000
}

/** The best of several: what comes between makes a piece of work longer, never shorter. */
const yardstickMilliseconds = async (): Promise<number> => {
  const tries = []
  for (let n = 0; n < 5; n++) tries.push(await millisecondsOf(yardstick))
  return Math.min(...tries)
}

/** The work of `act` in yardsticks. */
export const workOf = async (act: () => unknown): Promise<number> =>
  (await millisecondsOf(act)) / (await yardstickMilliseconds())

/**
 * Ten times the 100 ms that behaviour allows in the worst case: the very figures are a benchmark's matter. What grows with the
 * square of its input, or worse, is far beyond.
 */
export const mostYardsticks = 50

/** Passes if `act` is work that nobody beside it would notice. */
export const isQuick = async (
  t: Pick<Test, 'ok'>,
  act: () => unknown,
  what: string,
  most = mostYardsticks,
): Promise<void> => {
  const work = await workOf(act)
  t.ok(work <= most, `${what}: the work of ${work.toFixed(1)} yardsticks, ${most} at most`)
}
