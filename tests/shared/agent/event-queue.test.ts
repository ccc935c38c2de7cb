// What the agent sends next, with the time in the hands of the test.
import t from 'tap'
import { EventQueue } from '../../../shared/agent/event-queue.ts'
import { fullSyncEvent, type RuntimeEvent } from '../../../shared/api/kyma/runtime-event.ts'

const gvk = { group: 'operator.kyma-project.io', version: 'v1beta2', kind: 'Kyma' }
const about = (name: string): RuntimeEvent => ({ watched: { Namespace: 'n', Name: name }, watchedGvk: gvk })

/** A queue whose manager `kyma` has been heard of before. */
const known = (bounds = { events: 1_000, lanes: 20 }, chance = () => 0): EventQueue => {
  const queue = new EventQueue(bounds, chance)
  queue.add({ manager: 'kyma', event: about('first') })
  queue.take(0)
  queue.taken('kyma')
  return queue
}

const add = (queue: EventQueue, names: readonly string[], againAt?: number): void => {
  for (const name of names) queue.add({ manager: 'kyma', event: about(name) }, againAt)
}

/** All that the control plane takes at that time, by name. */
const sentAt = (queue: EventQueue, now: number): string[] => {
  const sent: string[] = []
  for (let next = queue.take(now); next; next = queue.take(now)) {
    sent.push(next.event.fullSync ? 'everything' : next.event.watched.Name)
    queue.taken(next.manager)
  }
  return sent
}

t.test('KY-174 events about one object that wait are one; what comes while it is sent is another', async t => {
  const queue = known()
  add(queue, ['a', 'b', 'a', 'a'])
  t.equal(queue.length, 2)
  t.strictSame(queue.take(0)?.event, about('a'))
  t.equal(queue.take(0), undefined, 'one at a time')
  t.equal(queue.nextAt(), undefined, 'only the answer frees the next')
  add(queue, ['a'])
  t.equal(queue.length, 3)
  queue.taken('kyma')
  t.strictSame(sentAt(queue, 0), ['b', 'a'])
  t.equal(queue.length, 0)
})

t.test('KY-174 what is not taken is sent after 1 s, doubling to 60 s with jitter, until it is', async t => {
  const queue = known(undefined, () => 0.5)
  const waits: number[] = []
  add(queue, ['a'])
  let now = 0
  for (let tries = 0; tries < 8; tries++) {
    t.strictSame(queue.take(now)?.event, about('a'))
    queue.failed('kyma', { now })
    const at = queue.nextAt() ?? Number.NaN
    t.equal(queue.take(at - 1), undefined, 'not before its time')
    waits.push((at - now) / 1000)
    now = at
  }
  t.strictSame(
    waits.map(wait => wait.toFixed(2)),
    ['1.05', '2.10', '4.20', '8.40', '16.80', '33.60', '63.00', '63.00'],
  )
  t.strictSame(sentAt(queue, now), ['a'])
  add(queue, ['b'])
  queue.take(now)
  queue.failed('kyma', { now })
  t.equal(queue.nextAt(), now + 1050, 'a success starts the waits anew')
})

t.test('KY-174 nothing is sent before the Retry-After that the control plane answered', async t => {
  const queue = known()
  add(queue, ['a', 'b'])
  queue.take(0)
  queue.failed('kyma', { now: 0, retryAfterSeconds: 7 })
  add(queue, ['c'])
  t.equal(queue.nextAt(), 7_000)
  t.strictSame(sentAt(queue, 6_999), [])
  t.strictSame(sentAt(queue, 7_000), ['b', 'a', 'c'])
})

t.test(
  'KY-174 an event that the control plane calls broken is replaced by a full sync, so it holds up nothing for ever',
  async t => {
    const queue = known()
    add(queue, ['a', 'b'])
    queue.take(0)
    queue.failed('kyma', { now: 0, isBroken: true })
    t.strictSame(sentAt(queue, 1_000), ['b', 'everything'])
    t.equal(queue.length, 0)
  },
)

t.test('KY-174 a manager whose events are refused delays no other', async t => {
  const queue = known()
  add(queue, ['a'])
  queue.take(0)
  queue.failed('kyma', { now: 0 })
  queue.add({ manager: 'other', event: about('b') })
  t.strictSame(queue.take(0), { manager: 'other', event: fullSyncEvent })
})

t.test('KY-175 the first event of a manager becomes a full sync: nobody told what happened before', async t => {
  const queue = new EventQueue()
  add(queue, ['a', 'b'])
  t.strictSame(sentAt(queue, 0), ['everything'])
  add(queue, ['a'])
  t.strictSame(sentAt(queue, 0), ['a'])
})

t.test('KY-175 when more than 1,000 objects wait, one full sync is sent instead', async t => {
  const queue = known()
  const names = Array.from({ length: 1_000 }, (_, at) => `object-${at}`)
  add(queue, names)
  t.equal(queue.length, 1_000)
  add(queue, ['object-7'])
  t.equal(queue.length, 1_000, 'an object that waits already takes no room')
  add(queue, ['one-more', 'and-more'])
  t.equal(queue.length, 1)
  queue.take(0)
  queue.failed('kyma', { now: 0 })
  add(queue, ['a'])
  t.equal(queue.length, 1, 'a full sync that waits stands for what comes')
  t.equal(queue.take(1_000)?.event, fullSyncEvent)
  add(queue, ['a'])
  queue.taken('kyma')
  t.strictSame(sentAt(queue, 1_000), ['a'], 'what comes while it is sent is not covered')
})

t.test('KY-175 a full sync stands for those managers alone whose events it replaces', async t => {
  const queue = new EventQueue({ events: 3, lanes: 20 }, () => 0)
  for (const manager of ['kyma', 'other']) queue.add({ manager, event: about('first') })
  for (const sending of [queue.take(0), queue.take(0)]) queue.taken(sending?.manager ?? '')
  add(queue, ['a', 'b', 'c', 'd'])
  t.strictSame(queue.take(0), { manager: 'kyma', event: fullSyncEvent })
  t.equal(queue.take(0), undefined)
})

t.test('KY-176 an event made by a review is sent at once and again when its change is committed', async t => {
  const queue = known()
  add(queue, ['a'], 2_000)
  t.strictSame(sentAt(queue, 0), ['a'])
  t.equal(queue.nextAt(), 2_000)
  add(queue, ['a'], 2_500)
  t.strictSame(sentAt(queue, 500), ['a'])
  t.strictSame(sentAt(queue, 2_000), [], 'once, 2 s after the last review')
  t.strictSame(sentAt(queue, 2_500), ['a'])
  t.equal(queue.length, 0)
})

t.test('KY-176 a full sync that stands for events made by reviews is sent again with the last of them', async t => {
  const queue = known({ events: 2, lanes: 20 })
  for (const [at, name] of ['a', 'b', 'c'].entries()) add(queue, [name], 2_000 + at)
  t.strictSame(sentAt(queue, 0), ['everything'])
  add(queue, ['d'])
  t.strictSame(sentAt(queue, 1), ['d'], 'the one that is to come again stands for nothing that is due now')
  t.strictSame(sentAt(queue, 2_001), [])
  t.strictSame(sentAt(queue, 2_002), ['everything'])
})

t.test('RE-46 the answer to an event of a manager that went and came again is none to its next one', async t => {
  for (const answered of ['taken', 'failed'] as const) {
    const queue = known()
    add(queue, ['a'])
    queue.take(0)
    queue.keepOnly(new Set())
    add(queue, ['b'])
    t.equal(queue.take(0), undefined, 'one at a time')
    if (answered === 'taken') queue.taken('kyma')
    else queue.failed('kyma', { now: 0 })
    const next = queue.nextAt() ?? 0
    t.strictSame(queue.take(next)?.event, fullSyncEvent)
    queue.failed('kyma', { now: next })
    t.strictSame(sentAt(queue, queue.nextAt() ?? 0), ['everything'], 'what is refused is sent again')
    t.equal(queue.length, 0)
  }
  for (const answered of ['taken', 'failed'] as const) {
    const queue = known({ events: 1_000, lanes: 1 })
    add(queue, ['a', 'b'])
    queue.take(0)
    queue.keepOnly(new Set())
    t.equal(queue.length, 1, 'what waits is forgotten at once')
    if (answered === 'taken') queue.taken('kyma')
    else queue.failed('kyma', { now: 0 })
    t.strictSame([queue.length, queue.nextAt()], [0, undefined], 'whoever is gone gets nothing again')
    t.equal(queue.add({ manager: 'another', event: about('a') }), true, 'and leaves his place')
  }
})

t.test('RE-27 more managers than any runtime has are not remembered', async t => {
  const queue = known({ events: 1_000, lanes: 2 })
  t.equal(queue.add({ manager: 'b', event: about('x') }), true)
  t.equal(queue.add({ manager: 'c', event: about('x') }), false)
  t.equal(queue.add({ manager: 'kyma', event: about('x') }), true)
})
