// What a host remembers between calls: as much as is used, and no more than there is room for.
import t from 'tap'
import { LoadingCache } from '../../../shared/runtime/loading-cache.ts'
import { marks } from '../../../shared/runtime/marks.ts'
import { processMemory } from '../../../shared/runtime/process-memory.ts'
import { rejects } from '../../harness/matches.ts'

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
  const cache = new LoadingCache<string>({ now: () => seconds * 1_000, random: () => chance })
  for (chance of [0, 0.5, 1]) await cache.get(`with ${chance}`, async () => 'kept')
  const isKept = async (each: number) => (await cache.get(`with ${each}`, async () => undefined)) !== undefined
  const at: number[][] = []
  for (seconds of [3.9, 4, 4.4, 4.5, 4.9, 5]) {
    const kept = await Promise.all([0, 0.5, 1].map(isKept))
    at.push([0, 0.5, 1].filter((_, n) => kept[n]))
  }
  t.strictSame(at, [[0, 0.5, 1], [0, 0.5], [0, 0.5], [0], [0], []])
})

t.test('KY-185 what was read is remembered for five seconds at most, of the thousand asked for last', async t => {
  let seconds = 0
  const cache = new LoadingCache<number>({ now: () => seconds * 1_000, random: () => 0 })
  const read = (value: number) => async () => value
  await cache.get('a', read(1))
  seconds = 4.9
  t.equal(await cache.get('a', read(2)), 1)
  seconds = 5
  t.equal(await cache.get('a', read(3)), 3)
  for (let n = 0; n < 1_000; n++) await cache.get(`b${n}`, read(n))
  t.equal(await cache.get('a', read(4)), 4)
  t.equal(await cache.get('b1', read(-1)), 1)
})

t.test('KY-185 whoever asks while something is being read waits for that read, unless it must be true now', async t => {
  const cache = new LoadingCache<string>()
  const reads: ((value: string | undefined) => void)[] = []
  const read = () => new Promise<string | undefined>(resolve => reads.push(resolve))
  const [first, second] = [cache.get('a', read), cache.get('a', read)]
  const afresh = cache.reload('a', read)
  const third = cache.get('a', read)
  t.equal(reads.length, 2, 'one for the first two, one afresh, for which the third waits')
  reads[1]?.('new')
  t.strictSame([await afresh, await third], ['new', 'new'])
  reads[0]?.('old')
  t.strictSame([await first, await second], ['old', 'old'])
  t.equal(await cache.get('a', read), 'new', 'what was asked for later stays')
})

t.test('KY-185 neither a failure nor nothing is remembered', async t => {
  const cache = new LoadingCache<string>()
  await rejects(
    t,
    cache.get('a', () => Promise.reject(new Error('away'))),
    new Error('away'),
  )
  t.equal(await cache.get('a', async () => undefined), undefined)
  t.equal(await cache.get('a', async () => 'there'), 'there')
})
