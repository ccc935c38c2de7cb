import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { type BytePlace, byteBudget, GrowingBytes, givesWay } from '../../../shared/core/bounds/bytes.ts'
import { receiveBody } from '../../../shared/listener/receive-body.ts'
import { throws } from '../../harness/matches.ts'

type Named = { name: string; from: string; weight: number; isBusy: boolean; merit: number }

const guest = (name: string, change: Partial<Named> = {}): Named => ({
  name,
  from: 'a',
  weight: 1,
  isBusy: false,
  merit: 1,
  ...change,
})

t.test('RE-27 who gives way: of the caller who has most, whoever has the least merit and is not busy', async t => {
  const cases: [string, Named[], string | undefined][] = [
    ['nobody is there', [], undefined],
    ['one caller: the least merit', [guest('old', { merit: 1 }), guest('new', { merit: 2 })], 'old'],
    [
      'one caller has many: one of them, whatever the merit of others',
      [guest('one', { merit: 9 }), guest('two', { merit: 8 }), guest('alone', { from: 'b', merit: 0 })],
      'two',
    ],
    [
      'weight counts, not number',
      [guest('one'), guest('two'), guest('heavy', { from: 'b', weight: 3, merit: 9 })],
      'heavy',
    ],
    ['a busy one stays', [guest('busy', { isBusy: true, merit: 0 }), guest('idle')], 'idle'],
    [
      'all of the caller who has most are busy: the next',
      [guest('one', { isBusy: true, weight: 9 }), guest('other', { from: 'b' })],
      'other',
    ],
    ['all are busy', [guest('one', { isBusy: true })], undefined],
  ]
  for (const [sentence, guests, expected] of cases)
    t.equal(givesWay(guests, ({ merit }) => merit)?.name, expected, sentence)
})

/** A room of 100 bytes on a clock that is driven, and who gave way in it. */
const smallRoom = () => {
  const clock = { now: 0 }
  const gone: string[] = []
  const room = byteBudget(100, () => clock.now)
  const enter = (name: string, from = 'a'): BytePlace => room.enter(from, () => void gone.push(name))
  return { clock, gone, enter }
}

t.test('RE-27 a body that stopped gives way to one that is on its way', async t => {
  const { clock, gone, enter } = smallRoom()
  t.ok(enter('stopped').takes(60))
  clock.now = 10
  const lively = enter('lively')
  clock.now = 11
  t.ok(lively.takes(30))
  t.strictSame(gone, [], 'as long as there is room everybody has it')
  t.ok(lively.takes(50))
  t.strictSame(gone, ['stopped'])
})

t.test('RE-27 a body that comes more slowly than all others is the one that is refused', async t => {
  const { clock, gone, enter } = smallRoom()
  const slow = enter('slow')
  clock.now = 10
  t.ok(enter('quick').takes(90))
  clock.now = 11
  t.notOk(slow.takes(20))
  t.strictSame(gone, [], 'it learns it by the answer')
  t.notOk(slow.takes(1), 'and it is out for good')
})

t.test('RE-27 a caller with much loses to one with little, however quick it is', async t => {
  const { clock, gone, enter } = smallRoom()
  const little = enter('little', 'b')
  clock.now = 100
  t.ok(enter('much').takes(50))
  t.ok(enter('more').takes(49))
  t.ok(little.takes(10))
  t.equal(gone.length, 1)
  t.notOk(gone.includes('little'))
})

t.test('RE-27 a body that is being answered keeps its place until it leaves', async t => {
  const { clock, gone, enter } = smallRoom()
  const answered = enter('answered')
  t.ok(answered.takes(80))
  answered.isBeingAnswered()
  clock.now = 10
  const next = enter('next', 'b')
  t.notOk(next.takes(30))
  answered.leave()
  answered.leave()
  t.ok(enter('later', 'b').takes(100), 'all of the room is free again, once')
  t.notOk(enter('one more').takes(101))
  t.strictSame(gone, [])
})

t.test('RE-27 bytes that come one by one are in one buffer of at most twice their number', async t => {
  const bytes = new GrowingBytes(1_000_000)
  t.equal(bytes.sizeWith(1), 16_384, 'and never in one as large as the sender says')
  const sizes = new Set<number | undefined>()
  for (let at = 0; at < 100_000; at++) {
    sizes.add(bytes.sizeWith(1))
    bytes.add(Uint8Array.of(at % 251))
  }
  t.ok(sizes.size < 6, 'it seldom grows')
  t.ok((bytes.sizeWith(0) ?? Infinity) <= 200_000)
  t.equal(bytes.length, 100_000)
  t.ok(bytes.bytes.every((byte, at) => byte === at % 251))
})

t.test('RE-27 no more bytes than were said, and no buffer larger than that', async t => {
  const bytes = new GrowingBytes(20_000)
  bytes.add(new Uint8Array(15_000))
  t.equal(bytes.sizeWith(5_000), 20_000)
  t.equal(bytes.sizeWith(5_001), undefined)
  throws(t, () => bytes.add(new Uint8Array(5_001)), RangeError)
  const { buffer } = bytes.bytes
  bytes.forget()
  t.equal(buffer.byteLength, 0, 'its memory is free at once')
})

t.test('RE-27 a body leaves its room when its caller has the answer, or is gone without one', async t => {
  for (const end of ['finish', 'close']) {
    let gaveWay = 0
    const room = byteBudget(
      10,
      () => 0,
      () => gaveWay++,
    )
    const response = Object.assign(new EventEmitter()) as ServerResponse
    const head = { headers: { 'content-length': '2' }, socket: { remoteAddress: 'a' } }
    const request = Object.assign(new PassThrough(), head) as unknown as IncomingMessage & PassThrough
    const read = receiveBody(request, { room, bytesMost: 10, response })
    request.end('{}')
    t.equal((await read).is, 'body')
    response.emit(end)
    t.ok(room.enter('b', () => {}).takes(10), end)
    t.equal(gaveWay, 0, end)
  }
})
