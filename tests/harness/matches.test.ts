// Tests the comparison that all tests use: what it accepts and what it refuses, so that no expectation is met by accident.
import { inspect } from 'node:util'
import t from 'tap'
import { type Assertions, contains, differencesOf, lacks, matches, rejects, throws } from './matches.ts'

class Pear {
  readonly #secret: string
  constructor(secret: string) {
    this.#secret = secret
  }
  get taste(): string {
    return this.#secret
  }
}

class Refused extends Error {
  override readonly name = 'Refused'
  readonly code = 404
}

t.test('of an object only the named fields count', async t => {
  const pod = { metadata: { name: 'a', labels: { x: '1' } }, spec: { nodeName: 'n' } }
  const passes: unknown[] = [
    { metadata: { name: 'a' } },
    { metadata: { labels: { x: '1' } }, status: undefined },
    { spec: Object },
    pod,
  ]
  for (const expected of passes) t.strictSame(differencesOf(pod, expected), [], JSON.stringify(expected))
  t.strictSame(differencesOf(pod, { metadata: { name: 'b' }, spec: { nodeName: 'n', hostname: 'h' } }), [
    `.metadata.name: expected 'b', found 'a'`,
    `.spec.hostname: expected 'h', found undefined`,
  ])
  t.strictSame(differencesOf(pod, { metadata: undefined, spec: {} }), [
    `.metadata: expected undefined, found { name: 'a', labels: { x: '1' } }`,
    `.spec: expected {}, found { nodeName: 'n' }`,
  ])
})

t.test('all else counts whole, and by value', async t => {
  const day = (n: number): Date => new Date(Date.UTC(2030, 0, n))
  const cases: [sentence: string, found: unknown, expected: unknown, unlike: unknown][] = [
    ['an item more', [1], [1], []],
    ['an item less', [1], [1], [1, 2]],
    ['another order', [1, 2], [1, 2], [2, 1]],
    ['an item more, deep inside', { a: [{ b: [1, 2] }] }, { a: [{ b: [1, 2] }] }, { a: [{ b: [1] }] }],
    ['an empty list', [], [], {}],
    ['a list is no object', [1], [1], { 0: 1 }],
    ['an object is no list', { 0: 1, length: 1 }, { 0: 1 }, [1]],
    ['a part of a text', 'NotReady', 'NotReady', 'Ready'],
    ['a text that is empty', 'Ready', 'Ready', ''],
    ['a number as a text', 1, 1, '1'],
    ['null and undefined', null, null, undefined],
    ['false and nothing', false, false, undefined],
    ['no number', Number.NaN, Number.NaN, 0],
    ['another moment', day(1), day(1), day(2)],
    ['a moment as a text', day(1), day(1), day(1).toISOString()],
    ['bytes', Buffer.from('a'), Buffer.from('a'), Buffer.from('b')],
    ['an entry more', new Map([['a', [1]]]), new Map([['a', [1]]]), new Map()],
    ['an entry less', new Map([['a', 1]]), new Map([['a', 1]]), new Map(Object.entries({ a: 1, b: 2 }))],
    ['another value of an entry', new Map([['a', [1]]]), new Map([['a', [1]]]), new Map([['a', []]])],
    ['a map is no object', new Map([['a', 1]]), new Map([['a', 1]]), { a: 1 }],
    ['a member more', new Set([1, 2]), new Set([2, 1]), new Set([1])],
    ['a member less', new Set([{ a: 1 }]), new Set([{ a: 1 }]), new Set([{ a: 1 }, { a: 2 }])],
    ['another error', new Error('no'), new Error('no'), new Error('yes')],
    ['an error of another name', new TypeError('no'), new TypeError('no'), new Error('no')],
    [
      'another field of an error',
      new Refused('no'),
      new Refused('no'),
      Object.assign(new Refused('no'), { code: 403 }),
    ],
    ['where an error comes from', new Error('no', { cause: 1 }), new Error('no'), { message: 'no', cause: 2 }],
    ['an instance whose fields cannot be seen', new URL('http://a'), new URL('http://a'), new URL('http://b')],
    ['what every object inherits', { a: 1 }, { a: 1, valueOf: undefined }, { valueOf: Function }],
  ]
  for (const [sentence, found, expected, unlike] of cases) {
    t.strictSame(differencesOf(found, expected), [], `${sentence}: as expected`)
    t.not(differencesOf(found, unlike).length, 0, sentence)
  }
})

t.test('an expectation may stand for many values', async t => {
  const cases: [expected: unknown, fits: unknown[], doesNot: unknown[]][] = [
    [/^a/, ['ab'], ['ba', undefined, null, ['a'], { toString: () => 'a' }]],
    [/a/g, ['a', 'a'], ['b']],
    [String, ['', 'a'], [1, undefined, null]],
    [Number, [0, 1.5], ['1', Number.NaN, Number.POSITIVE_INFINITY]],
    [Boolean, [true, false], [0, 'true']],
    [Object, [{}, { a: 1 }, Object.create(null)], [null, 'a', [], undefined]],
    [Array, [[], [1]], [{ length: 0 }, 'a']],
    [Date, [new Date()], ['2030-01-01T00:00:00Z']],
    [Pear, [new Pear('sweet')], [{ taste: 'sweet' }]],
    [Error, [new TypeError('no')], [{ message: 'no' }]],
    [(found: unknown) => Number(found) > 2, [3, '3'], [2, undefined]],
    [{ taste: 'sweet' }, [new Pear('sweet')], [new Pear('sour')]],
    [{ message: /^n/, name: 'TypeError' }, [new TypeError('no')], [new Error('no')]],
  ]
  for (const [expected, fits, doesNot] of cases) {
    for (const found of fits) t.strictSame(differencesOf(found, expected), [], inspect({ expected, found }))
    for (const found of doesNot) t.equal(differencesOf(found, expected).length, 1, inspect({ expected, found }))
  }
})

t.test('names of hostile fields are names like others', async t => {
  const found = JSON.parse('{"__proto__":{"a":1}}')
  t.strictSame(differencesOf(found, JSON.parse('{"__proto__":{"a":1}}')), [])
  t.equal(differencesOf(found, JSON.parse('{"__proto__":{"a":2}}')).length, 1)
  t.equal(differencesOf({}, JSON.parse('{"__proto__":{}}')).length, 1)
})

/** A fake test that notes what passes and what fails. */
const recorder = () => {
  const results: unknown[] = []
  const pass = (message: string) => results.push(['passed', message]) > 0
  const fail = (message: string, extra: object) => results.push(['failed', message, extra]) < 0
  return { results, t: { pass, fail } as unknown as Assertions }
}

t.test('the test passes or fails, and says where the difference is', async t => {
  const told = recorder()
  t.equal(matches(told.t, { a: [1] }, { a: [1] }), true)
  t.equal(matches(told.t, { a: [1] }, { a: [] }, 'no steps'), false)
  t.strictSame(told.results, [
    ['passed', 'is as expected'],
    ['failed', 'no steps', { differences: ['.a: expected 0 items, found [ 1 ]'], found: '{ a: [ 1 ] }' }],
  ])
})

t.test('an error has the fields, the class or the message that is expected', async t => {
  const cases: [expected: unknown, isMet: boolean][] = [
    [undefined, true],
    [Refused, true],
    [TypeError, false],
    [/not there/, true],
    [/^there/, false],
    [{ name: 'Refused', code: 404, message: 'it is not there' }, true],
    [{ message: 'not there' }, false],
    [{ code: '404' }, false],
    [{ code: 404, cause: undefined }, true],
  ]
  const act = () => {
    throw new Refused('it is not there')
  }
  for (const [expected, isMet] of cases) {
    t.equal(throws(recorder().t, act, expected), isMet, inspect(expected))
    t.equal(await rejects(recorder().t, Promise.reject(new Refused('it is not there')), expected), isMet)
  }
  t.equal(
    throws(recorder().t, () => 1),
    false,
    'nothing is thrown',
  )
  t.equal(await rejects(recorder().t, Promise.resolve(1)), false, 'nothing is thrown, later')
  t.equal(await rejects(recorder().t, act, Refused), true, 'before there is a promise')
})

t.test('a part of a text is looked for in texts only', async t => {
  const cases: [found: unknown, part: string | RegExp, isThere: boolean][] = [
    ['the secret', 'secret', true],
    ['the log', 'secret', false],
    ['the secret', /SECRET/i, true],
    ['the log', /secret/g, false],
  ]
  for (const [found, part, isThere] of cases) {
    t.equal(lacks(recorder().t, found, part), !isThere, `lacks: ${found}, ${part}`)
    if (typeof part === 'string') t.equal(contains(recorder().t, found, part), isThere, `contains: ${found}, ${part}`)
  }
  for (const found of [undefined, null, ['the secret'], { a: 'secret' }, 1]) {
    t.equal(lacks(recorder().t, found, 'secret'), false, inspect(found))
    t.equal(contains(recorder().t, found, 'secret'), false, inspect(found))
  }
})
