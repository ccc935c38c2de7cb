import t from 'tap'
import { attempted, type Reading, whenRead } from '../../../shared/core/decisions/reading.ts'
import { errorText } from '../../../shared/core/text/error-text.ts'
import { KindNotServed } from '../../../shared/kube/errors.ts'
import { listIfServed, reading } from '../../../shared/kube/reading.ts'
import { matches, rejects } from '../../harness/matches.ts'

const told = (count: Reading<number>): string =>
  whenRead(
    count,
    read => `there are ${read}`,
    failed => `nobody knows: ${failed}`,
  )

t.test('what is told follows from what was read, or from why it was not', async t => {
  t.equal(told({ read: 0 }), 'there are 0')
  t.equal(told({ failed: 'no route' }), 'nobody knows: no route')
})

t.test('a read that fails is a result, with the words of whatever was thrown', async t => {
  matches(t, await reading(Promise.resolve(undefined)), (found: unknown) => 'read' in Object(found))
  matches(t, await reading(Promise.reject(new TypeError('no route'))), { failed: 'no route' })
  matches(t, await reading(Promise.reject('no route')), { failed: 'no route' })
  matches(
    t,
    attempted(() => JSON.parse('[1]')),
    { read: [1] },
  )
  matches(
    t,
    attempted(() => JSON.parse('[')),
    { failed: /JSON/ },
  )
  t.equal(errorText(null), 'null')
})

t.test('a kind that is not served has no list; every other failure is one', async t => {
  const kind = { apiVersion: 'example.org/v1', kind: 'Orchard' }
  const orchard = { ...kind, metadata: { name: 'a' } }
  const listing = (work: () => Promise<(typeof orchard)[]>) => listIfServed({ list: work }, kind)
  matches(t, await listing(async () => [orchard]), [orchard])
  t.equal(await listing(() => Promise.reject(new KindNotServed(kind))), undefined)
  await rejects(
    t,
    listing(() => Promise.reject(new Error('no route'))),
    /no route/,
  )
})
