import fc from 'fast-check'
import t from 'tap'
import { canonicalJson, isMap, isText, sameJson, sentFields } from '../../../shared/core/json/json.ts'

t.test('a map is neither a list nor null', async t => {
  for (const value of [{}, { a: 1 }, Object.create(null)]) t.ok(isMap(value))
  for (const value of [null, undefined, [], [{}], 'text', 1, true]) t.notOk(isMap(value), JSON.stringify(value))
})

t.test('only a text that is not empty counts as one', async t => {
  t.ok(isText('a'))
  for (const value of ['', undefined, null, 1]) t.notOk(isText(value))
})

t.test('values say the same whatever the order of their fields, and a field that is undefined is none', async t => {
  const cases: [left: unknown, right: unknown, isSame: boolean][] = [
    [{ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }, true],
    [{ a: 1, b: undefined }, { a: 1 }, true],
    [{ a: 1 }, { a: 1, b: undefined }, true],
    [{ a: undefined }, { b: undefined }, true],
    [{ a: undefined, b: 1 }, { a: 1, b: undefined }, false],
    [{ a: null }, {}, false],
    [{ a: 1 }, { b: 1 }, false],
    [[1, 2], [2, 1], false],
    [[1], [1, 2], false],
    [[], {}, false],
    [{}, [], false],
    [{}, null, false],
    [1, '1', false],
    [JSON.parse('{"__proto__":{"a":1}}'), {}, false],
    [JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}'), true],
    [JSON.parse('{"__proto__":{}}'), { a: 1 }, false],
    [{}, { toString: 1 }, false],
    [{ toString: 1 }, { other: 1 }, false],
  ]
  for (const [left, right, isSame] of cases) {
    const name = `${JSON.stringify(left)} and ${JSON.stringify(right)}`
    t.equal(sameJson(left, right), isSame, name)
    t.equal(sameJson(right, left), isSame, `${name}, turned round`)
  }
})

t.test('there is one canonical text for all values that say the same, and it is their JSON', async t => {
  t.equal(canonicalJson({ b: [2, undefined], a: { d: undefined, c: 'x' } }), '{"a":{"c":"x"},"b":[2,null]}')
  t.equal(canonicalJson(undefined), 'null')
  t.strictSame(sentFields({ a: 1, b: undefined, c: null }), ['a', 'c'])
  const json = fc.jsonValue({ maxDepth: 3 }).map(value => JSON.parse(JSON.stringify(value)))
  fc.assert(
    fc.property(json, json, (one, other) => {
      t.ok(sameJson(JSON.parse(canonicalJson(one)), one))
      t.equal(canonicalJson(one) === canonicalJson(other), sameJson(one, other))
    }),
    { numRuns: 300, seed: 1 },
  )
})
