// The measure of work: what is quick passes, what is not does not, and waiting is no work.
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { isQuick, mostYardsticks, workOf } from './work.ts'

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

t.test('twice as much is about twice the work', async t => {
  const [once, twice] = [await workOf(counting(2e7)), await workOf(counting(4e7))]
  t.ok(twice > 1.3 * once, `${twice} after ${once}`)
})

t.test('work beyond the limit is not quick, waiting is', async t => {
  const told = recorder()
  await isQuick(told.t, counting(1), 'one')
  await isQuick(told.t, () => pause(1_500), 'a pause')
  const perStep = (await workOf(counting(2e7))) / 2e7
  await isQuick(told.t, counting(Math.ceil((2 * mostYardsticks) / perStep)), 'twice the limit')
  t.strictSame(told.verdicts, [true, true, false])
})
