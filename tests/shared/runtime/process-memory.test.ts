// What a host remembers between calls: as much as is used, and no more than there is room for.
import t from 'tap'
import { marks } from '../../../shared/runtime/marks.ts'
import { processMemory } from '../../../shared/runtime/process-memory.ts'
import { Recently } from '../../../shared/runtime/recently.ts'

t.test('RE-28 what a hundred clusters serve is remembered, and those longest not asked for are forgotten', async t => {
  const memory = processMemory()
  const asked: string[] = []
  const ask = (name: string) =>
    memory.served(name, async () => {
      asked.push(name)
      return { name, uid: name, served: [], version: undefined } as never
    })
  await ask('a')
  await ask('a')
  t.strictSame(asked.splice(0), ['a'])
  for (let n = 0; n < 100; n++) await ask(`c${n}`)
  asked.splice(0)
  await ask('c99')
  await ask('c0')
  await ask('a')
  t.strictSame(asked, ['a'])
})

t.test('KY-122 KY-182 a mark counts for what it was left for, for half an hour, until something is heard', async t => {
  let minutes = 0
  const all = marks(() => minutes * 60_000)
  t.equal(all.of('manifest a/b'), undefined)
  all.begin('manifest a/b')
  t.equal(all.of('manifest a/b'), undefined, 'not before the end of the look')
  all.begin('manifest a/b').leave('rv 1')
  t.equal(all.of('manifest a/b'), 'rv 1')
  t.equal(all.of('kyma a/b'), undefined)
  minutes = 29
  t.equal(all.of('manifest a/b'), 'rv 1')
  minutes = 30
  t.equal(all.of('manifest a/b'), undefined, 'it is as old as a mark gets')
  all.begin('manifest a/b').leave('rv 1')
  all.forget('manifest a/b')
  t.equal(all.of('manifest a/b'), undefined, 'something was heard')
  const look = all.begin('manifest a/b')
  all.forget('manifest a/b')
  look.leave('rv 1')
  t.equal(all.of('manifest a/b'), undefined, 'something was heard during the look')
})

t.test('what was read for many at one time is not read anew for all of them at one time', async t => {
  let seconds = 0
  let chance = 0
  const recently = new Recently<string>(
    () => seconds * 1_000,
    () => chance,
  )
  for (chance of [0, 0.5, 1]) recently.keep(`with ${chance}`, 'kept')
  const lasting = () => [0, 0.5, 1].filter(each => recently.of(`with ${each}`))
  const at = [3.9, 4, 4.4, 4.5, 4.9, 5].map(time => {
    seconds = time
    return lasting()
  })
  t.strictSame(at, [[0, 0.5, 1], [0, 0.5], [0, 0.5], [0], [0], []])
})

t.test('KY-185 what was read is remembered for five seconds at most, of the thousand asked for last', async t => {
  let seconds = 0
  const recently = new Recently<number>(
    () => seconds * 1_000,
    () => 0,
  )
  recently.keep('a', 1)
  seconds = 4.9
  t.equal(recently.of('a'), 1)
  seconds = 5
  t.equal(recently.of('a'), undefined)
  recently.keep('a', 1)
  for (let n = 0; n < 1_000; n++) recently.keep(`b${n}`, n)
  t.equal(recently.of('a'), undefined)
  t.equal(recently.of('b0'), 0)
})
