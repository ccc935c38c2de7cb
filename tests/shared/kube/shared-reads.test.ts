// Reads that calls at the same time share: when they begin, what they answer, and whose failure is whose.
import t from 'tap'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import type { ListQuery, Outside, ReadClient, Reads } from '../../../shared/kube/client-types.ts'
import { ConnectionError } from '../../../shared/kube/errors.ts'
import { KeyedReads, SharedReads, sharingClusters, sharingReads } from '../../../shared/kube/shared-reads.ts'
import { rejects } from '../../harness/matches.ts'

/** Reads that end when they are told to, with their number. */
const heldReads = () => {
  const begun: { end(): void; fail(): void }[] = []
  const read = () =>
    new Promise<number>((resolve, reject) => {
      const number = begun.length + 1
      begun.push({ end: () => resolve(number), fail: () => reject(new Error(`read ${number} failed`)) })
    })
  return { begun, read }
}

/** A read begins a turn after it was asked for. */
const turn = async () => {
  for (let turns = 0; turns < 2; turns++) await new Promise(setImmediate)
}

t.test('KY-183 whoever asks during a read shares the next one, which begins after all of them asked', async t => {
  const shared = new SharedReads<number>()
  const { begun, read } = heldReads()
  const [first, together] = [shared.of(undefined, read), shared.of(undefined, read)]
  await turn()
  const late = [shared.of(undefined, read), shared.of(undefined, read)]
  await turn()
  t.equal(begun.length, 1, 'the late ones must not see what was read before they asked')
  begun[0]?.end()
  t.strictSame(await Promise.all([first, together]), [1, 1])
  await turn()
  t.equal(begun.length, 2)
  begun[1]?.end()
  t.strictSame(await Promise.all(late), [2, 2])
  const last = shared.of(undefined, read)
  await turn()
  begun[2]?.end()
  t.equal(await last, 3, 'nothing is kept')
})

t.test('KY-183 a failed read is the failure of the one who made it: those who waited read for themselves', async t => {
  const shared = new SharedReads<number>()
  const { begun, read } = heldReads()
  const own = rejects(t, shared.of(undefined, read), new Error('read 1 failed'))
  const waiting = shared.of(undefined, read)
  await turn()
  begun[0]?.fail()
  await own
  await turn()
  begun[1]?.end()
  t.equal(await waiting, 2)
})

const owner = 'example.com/owner'
const configMaps = { apiVersion: 'v1', kind: 'ConfigMap' }
const ownedBy = (value: string): KubeObject => ({
  ...configMaps,
  metadata: { name: `of-${value}`, labels: { [owner]: value } },
})

const valuesIn = (selector: string): string[] => selector.split(/[^a-z]+/).filter(text => text.length === 1)

/** A cluster with a ConfigMap of each owner, whose answers come in the next turn; `asked`: the selectors and names asked for. */
const cluster = (fails: () => Error | undefined = () => undefined, outside?: Outside) => {
  const asked: string[] = []
  const answer = async <Answer>(question: string, found: () => Answer): Promise<Answer> => {
    asked.push(question)
    await turn()
    const failure = fails()
    if (failure) throw failure
    return found()
  }
  const client: Reads = {
    get: ({ name }) => answer(name, () => ownedBy(name)),
    list: ({ labelSelector = '' }) => answer(labelSelector, () => valuesIn(labelSelector).map(ownedBy)),
  }
  return { asked, reads: sharingReads(client, { reads: new KeyedReads(), place: 'one', outside }) }
}

/** The first read is under way. */
const begun = async (asked: readonly string[]): Promise<void> => {
  while (asked.length === 0) await new Promise(setImmediate)
}

const namesIn = async (reads: Reads, query: Partial<ListQuery>): Promise<string[]> =>
  (await reads.list({ ...configMaps, ...query })).map(({ metadata }) => metadata.name)

t.test('KY-351 calls at the same time share one list for all their owners, and each gets its own objects', async t => {
  const { asked, reads } = cluster()
  const reading = (value: string) => namesIn(reads, { labelSelector: `${owner}=${value}` })
  const first = reading('a')
  await begun(asked)
  t.strictSame(await Promise.all([first, reading('b'), reading('c')]), [['of-a'], ['of-b'], ['of-c']])
  t.strictSame(asked, [`${owner}=a`, `${owner} in (b,c)`], 'the second list begins when the first has ended')
  t.strictSame(await namesIn(reads, { labelSelector: `${owner}=d` }), ['of-d'])
  t.strictSame(asked.slice(2), [`${owner}=d`], 'nothing is kept')
})

t.test('KY-351 calls that arrive in one turn of the event loop share the first read, too', async t => {
  const { asked, reads } = cluster()
  const first = namesIn(reads, { labelSelector: `${owner}=a` })
  for (let steps = 0; steps < 20; steps++) await Promise.resolve()
  await Promise.all([first, namesIn(reads, { labelSelector: `${owner}=b` })])
  t.strictSame(asked, [`${owner} in (a,b)`])
})

t.test('KY-351 a read waits a moment for calls that began together, longer in a remote cluster', async t => {
  for (const [name, milliseconds] of [
    ['local', 3],
    ['far', 10],
  ] as const) {
    const asked: number[] = []
    const client = {
      get: async ({ name }: ObjectRef) => {
        asked.push(performance.now())
        return ownedBy(name)
      },
    } as unknown as ReadClient
    const memory = new KeyedReads()
    let waitingOutside = 0
    const outside: Outside = async answer => {
      waitingOutside++
      return answer.finally(() => waitingOutside--)
    }
    const get = async () => {
      const clusters = sharingClusters({ of: async () => client }, { reads: memory, outside })
      return (await clusters.of(name)).get({ ...configMaps, namespace: 'x', name: 'a' })
    }
    const began = performance.now()
    const first = get()
    await turn()
    const second = get()
    await turn()
    if (asked.length === 0) t.equal(waitingOutside, 0, `${name}: this is no wait for the cluster`)
    await Promise.all([first, second])
    t.equal(asked.length, 1, name)
    // Timers may be early by less than a millisecond.
    t.ok((asked[0] ?? 0) - began >= milliseconds - 1, `${name}: ${(asked[0] ?? 0) - began} ms`)
  }
})

t.test('KY-351 lists that differ in more than the owner are read by themselves', async t => {
  const { asked, reads } = cluster()
  const queries: Partial<ListQuery>[] = [
    { labelSelector: `${owner}=a` },
    { labelSelector: `${owner}=a`, namespace: 'x' },
    { labelSelector: `${owner}=a`, metadataOnly: true },
    { labelSelector: `${owner}=a`, keep: object => object },
    { labelSelector: `${owner} in (a)` },
    {},
  ]
  await Promise.all(queries.map(query => reads.list({ ...configMaps, ...query })))
  t.equal(asked.length, queries.length)
})

t.test('KY-351 the same list without an owner is read once, and one of a hundred owners in two requests', async t => {
  const { asked, reads } = cluster()
  await Promise.all([namesIn(reads, {}), namesIn(reads, {}), namesIn(reads, { namespace: 'x' })])
  t.strictSame(asked.splice(0), ['', ''])
  const names = await Promise.all(
    Array.from({ length: 100 }, (_, n) => namesIn(reads, { labelSelector: `${owner}=${n}` })),
  )
  t.strictSame(names, Array(100).fill([]))
  t.strictSame(
    asked.map(selector => selector.split(',').length),
    [50, 50],
  )
})

t.test('KY-351 the objects of a shared list are looked at once, however many calls share it', async t => {
  let looks = 0
  const list = async ({ labelSelector = '' }: ListQuery) =>
    (labelSelector.match(/(?<=\(|,)\w+/g) ?? []).map(value => {
      const { metadata, ...object } = ownedBy(value)
      return Object.defineProperty({ ...object, metadata }, 'metadata', { get: () => ++looks && metadata })
    })
  const reads = sharingReads({ list, get: async () => undefined }, { reads: new KeyedReads(), place: 'one' })
  const lists = Array.from({ length: 100 }, (_, n) => reads.list({ ...configMaps, labelSelector: `${owner}=v${n}` }))
  t.ok((await Promise.all(lists)).every(({ length }) => length === 1))
  t.equal(looks, 100)
})

t.test('KY-351 a value that no label can have is in no list of others, which would be refused', async t => {
  const { asked, reads } = cluster()
  const values = ['a', 'a-', 'x'.repeat(64), 'b']
  await Promise.all(values.map(value => reads.list({ ...configMaps, labelSelector: `${owner}=${value}` })))
  t.strictSame(asked.sort(), [`${owner} in (a,b)`, `${owner}=a-`, `${owner}=${'x'.repeat(64)}`])
})

t.test('KY-351 an object that several calls get is read once after all of them asked', async t => {
  const { asked, reads } = cluster()
  const ref = { ...configMaps, namespace: '', name: 'a' }
  const first = reads.get(ref)
  await begun(asked)
  const others = [reads.get(ref), reads.get(ref), reads.get(ref, { metadataOnly: true })]
  t.strictSame(await Promise.all([first, ...others]), Array(4).fill(ownedBy('a')))
  t.strictSame(asked, ['a', 'a', 'a'], 'the first, one for the next two, and one for metadata')
})

t.test('KY-351 a failed list fails a call that listed alone; calls that listed together each list again', async t => {
  let failure: Error | undefined = new Error('away')
  const { asked, reads } = cluster(() => failure)
  const reading = (value: string) => namesIn(reads, { labelSelector: `${owner}=${value}` })
  const a = reading('a')
  await begun(asked)
  const together = [reading('b'), reading('c')]
  await rejects(t, a, new Error('away'))
  while (asked.length < 2) await turn()
  await turn()
  failure = undefined
  t.strictSame(await Promise.all(together), [['of-b'], ['of-c']])
  t.strictSame(asked, [`${owner}=a`, `${owner} in (b,c)`, `${owner}=b`, `${owner}=c`])
})

t.test('KY-351 of an API server that is silent nobody waits for a third answer, and all who wait say so', async t => {
  const silence = new ConnectionError('silent', 'UND_ERR_HEADERS_TIMEOUT', 'no answer')
  let waits = 0
  const outside: Outside = answer => {
    waits++
    return answer
  }
  const { asked, reads } = cluster(() => silence, outside)
  const reading = (value: string) => namesIn(reads, { labelSelector: `${owner}=${value}` })
  const a = reading('a')
  await begun(asked)
  await Promise.all([a, reading('b'), reading('c')].map(one => rejects(t, one, silence)))
  t.strictSame(asked, [`${owner}=a`, `${owner} in (b,c)`])
  t.equal(waits, 6, 'each waits for the read before and for its own')
})
