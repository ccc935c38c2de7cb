// How much work something is, for tests that must not depend on how busy the machine is. It is the CPU time of this thread alone, as a multiple of a
// fixed piece of work that is done beside it.
import type { Test } from 'tap'

const text = JSON.stringify(Array.from({ length: 40_000 }, (_, n) => ({ name: `object-${n}`, labels: { a: 'b', n } })))

/** Some 12 ms on a machine of today. */
const yardstick = (): unknown => JSON.parse(text)

const millisecondsOf = async (act: () => unknown): Promise<number> => {
  const begun = process.threadCpuUsage()
  await act()
  const { user, system } = process.threadCpuUsage(begun)
  return (user + system) / 1_000
}

/** The best of several tries: interruptions make work longer, never shorter. */
const yardstickMilliseconds = async (): Promise<number> => {
  const tries = []
  for (let n = 0; n < 5; n++) tries.push(await millisecondsOf(yardstick))
  return Math.min(...tries)
}

let leastMilliseconds = 0

/** The work in yardsticks. A yardstick is measured beside it, unless the work is below `most` even by the shortest yardstick so far. */
const inYardsticks = async (milliseconds: number, most = 0): Promise<number> => {
  if (milliseconds < most * leastMilliseconds) return milliseconds / leastMilliseconds
  const measured = await yardstickMilliseconds()
  leastMilliseconds = Math.min(measured, leastMilliseconds || measured)
  return milliseconds / measured
}

/** The work of `act` in yardsticks. */
export const workOf = async (act: () => unknown): Promise<number> => inYardsticks(await millisecondsOf(act))

/** The longest turn of the event loop during `act`, in milliseconds. */
const longestTurnOf = async (act: () => unknown): Promise<number> => {
  let begun = process.threadCpuUsage()
  let longest = 0
  let isOver = false
  const turn = () => {
    const { user, system } = process.threadCpuUsage(begun)
    longest = Math.max(longest, (user + system) / 1_000)
    begun = process.threadCpuUsage()
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  await act()
  isOver = true
  turn()
  return longest
}

/** The 100 ms that behaviour allows for a refusal, in yardsticks of a machine of today. */
const mostYardsticks = 8

/** The 50 ms that behaviour allows for a lag of the event loop, in yardsticks. */
const mostYardsticksOfATurn = 4

/** Passes if `act` is little work. */
export const isQuick = async (
  t: Pick<Test, 'ok'>,
  act: () => unknown,
  what: string,
  most = mostYardsticks,
): Promise<void> => {
  const work = await inYardsticks(await millisecondsOf(act), most)
  t.ok(work <= most, `${what}: the work of ${work.toFixed(1)} yardsticks, ${most} at most`)
}

/** Passes if others are served at once meanwhile: `act` may be much work, but in small pieces. */
export const letsOthersIn = async (
  t: Pick<Test, 'ok'>,
  act: () => unknown,
  what: string,
  most = mostYardsticksOfATurn,
): Promise<void> => {
  const turn = await inYardsticks(await longestTurnOf(act), most)
  t.ok(turn <= most, `${what}: a turn of ${turn.toFixed(1)} yardsticks, ${most} at most`)
}
