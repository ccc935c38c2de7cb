// Tests the measure of work: quick work passes, other work fails, and waiting is no work.
import { setImmediate as others, setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { isQuick, letsOthersIn, workOf } from './cpu-work.ts'

/** A fake test that notes the verdicts. */
const recorder = () => {
  const verdicts: boolean[] = []
  const ok = (is: unknown) => verdicts.push(is === true) > 0
  return { verdicts, t: { ok } as unknown as Parameters<typeof isQuick>[0] }
}

const counting = (to: number) => () => {
  let sum = 0
  for (let n = 0; n < to; n++) sum = (sum + n * n) % 1_000_003
  return sum
}

const workOfYardsticks = async (yardsticks: number) => {
  const perStep = (await workOf(counting(4e6))) / 4e6
  return counting(Math.ceil(yardsticks / perStep))
}

t.test('ten times as much is far more work', async t => {
  const [once, tenTimes] = [await workOf(counting(2e6)), await workOf(counting(2e7))]
  t.ok(tenTimes > 2 * once, `${tenTimes} after ${once}`)
})

t.test('work beyond the limit is not quick, waiting is', async t => {
  const told = recorder()
  const most = 4
  await isQuick(told.t, counting(1), 'one', most)
  await isQuick(told.t, () => pause(500), 'a pause', most)
  await isQuick(told.t, await workOfYardsticks(10 * most), 'ten times the limit', most)
  t.strictSame(told.verdicts, [true, true, false])
})

t.test('much work in short turns lets others in, the same work at once does not', async t => {
  const told = recorder()
  const most = 4
  const piece = await workOfYardsticks(most / 4)
  const inTurns = async () => {
    for (let n = 0; n < 12; n++) {
      piece()
      await others()
    }
  }
  await letsOthersIn(told.t, inTurns, 'three times the limit, in twelve turns', most)
  await letsOthersIn(told.t, await workOfYardsticks(3 * most), 'three times the limit', most)
  t.strictSame(told.verdicts, [true, false])
})
