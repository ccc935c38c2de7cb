// What a host remembers between calls: as much as is used, and no more than there is room for.
import t from 'tap'
import { processMemory } from '../../../shared/runtime/process-memory.ts'

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
