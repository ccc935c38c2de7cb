// The measure of work: what is quick passes, what is not does not, and waiting is no work.
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { isQuick, workOf } from './work.ts'

/** A test that is told whether something was quick, and keeps it. */
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

t.test('ten times as much is far more work', async t => {
  const [once, tenTimes] = [await workOf(counting(1e7)), await workOf(counting(1e8))]
  t.ok(tenTimes > 2 * once, `${tenTimes} after ${once}`)
})

t.test('work beyond the limit is not quick, waiting is', async t => {
  const told = recorder()
  const most = 4
  await isQuick(told.t, counting(1), 'one', most)
  await isQuick(told.t, () => pause(500), 'a pause', most)
  const perStep = (await workOf(counting(2e7))) / 2e7
  await isQuick(told.t, counting(Math.ceil((10 * most) / perStep)), 'ten times the limit', most)
  t.strictSame(told.verdicts, [true, true, false])
})
