import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { jsonPatch, type PatchOperation } from '../../../shared/core/json/json-patch.ts'
import { mergePatched, mergePatchTo } from '../../../shared/core/json/merge-patch.ts'
import { type Condition, withCondition } from '../../../shared/core/objects/condition.ts'
import { encodedTexts, secretText } from '../../../shared/core/objects/secret-text.ts'
import { durationNanos, durationSeconds } from '../../../shared/core/time/duration.ts'

/** A second, simple-minded implementation of RFC 6902, to judge the first. */
function patched(document: unknown, operations: PatchOperation[]): unknown {
  let root = structuredClone({ document })
  for (const operation of operations) {
    const path = ['document', ...operation.path.split('/').slice(1).map(unescaped)]
    const last = path.pop() ?? ''
    const parent = path.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], root)
    if (Array.isArray(parent)) {
      const removed = operation.op === 'add' ? 0 : 1
      parent.splice(Number(last), removed, ...(operation.op === 'remove' ? [] : [operation.value]))
    } else if (operation.op === 'remove') delete (parent as Record<string, unknown>)[last]
    else Object.defineProperty(parent, last, { value: operation.value, ...plain })
  }
  root = structuredClone(root)
  return root.document
}

const plain = { enumerable: true, configurable: true, writable: true }
const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')
const normal = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

t.test('a JSON patch leads from one document to the other, whatever they are', async t => {
  const json = fc.jsonValue({ maxDepth: 4 })
  fc.assert(
    fc.property(json, json, (before, after) => {
      t.strictSame(normal(patched(before, jsonPatch(before, after))), normal(after))
    }),
    { numRuns: 500, seed: 1 },
  )
})

t.test('a JSON patch names only what differs', async t => {
  const cases: [name: string, before: unknown, after: unknown, patch: PatchOperation[]][] = [
    ['equal documents', { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
    ['a field deep down', { a: { b: 1, c: 2 } }, { a: { b: 3, c: 2 } }, [{ op: 'replace', path: '/a/b', value: 3 }]],
    ['a field that went', { a: 1, b: 2 }, { b: 2 }, [{ op: 'remove', path: '/a' }]],
    ['an undefined field, which JSON does not have', { a: 1 }, { a: 1, b: undefined }, []],
    ['an element at the front', [1, 2, 3], [0, 1, 2, 3], [{ op: 'add', path: '/0', value: 0 }]],
    ['an element in the middle', [1, 2, 3], [1, 3], [{ op: 'remove', path: '/1' }]],
    ['a key with slash and tilde', {}, { 'a/b~c': 1 }, [{ op: 'add', path: '/a~1b~0c', value: 1 }]],
    [
      'a key named __proto__',
      JSON.parse('{}'),
      JSON.parse('{"__proto__":{"x":1}}'),
      [{ op: 'add', path: '/__proto__', value: { x: 1 } }],
    ],
  ]
  for (const [name, before, after, patch] of cases) t.strictSame(jsonPatch(before, after), patch, name)
})

t.test('a JSON patch of deeply nested lists is made in time that grows with their size', async t => {
  const nested = (leaf: number): unknown => Array.from({ length: 200 }).reduce<unknown>(inner => [inner], leaf)
  t.strictSame(jsonPatch(nested(1), nested(2)), [{ op: 'replace', path: '/0'.repeat(200), value: 2 }])
})

t.test('a merge patch is applied as RFC 7386 says', async t => {
  const cases: [document: unknown, patch: unknown, after: unknown][] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [1, 2] }, { a: [3] }, { a: [3] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [['a', 'b'], { a: 'b' }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ]
  for (const [document, patch, after] of cases)
    t.strictSame(mergePatched(document, patch), after, JSON.stringify(patch))
})

t.test('RE-22 a merge patch keeps __proto__ as a key like any other', async t => {
  const merged = mergePatched({}, JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"x":1}}}'))
  t.strictSame(Object.keys(merged as object), ['__proto__', 'constructor'])
  t.equal(({} as Record<string, unknown>).polluted, undefined)
})

t.test('a condition is put into a list, and its time follows its status', async t => {
  const then = '2026-01-01T00:00:00Z'
  const now = new Date('2026-01-02T00:00:00.123Z')
  const ready: Condition = { type: 'Ready', status: 'False', reason: 'Waiting', message: 'm', lastTransitionTime: then }
  const other: Condition = { ...ready, type: 'Other' }
  t.test('that says the same again leaves the list as it is', async t => {
    const list = [ready, other]
    t.equal(withCondition(list, { type: 'Ready', status: 'False', reason: 'Waiting', message: 'm' }, now), list)
  })
  t.test('with a new message keeps its transition time', async t => {
    const [after] = withCondition([ready], { type: 'Ready', status: 'False', reason: 'Waiting', message: 'n' }, now)
    t.strictSame(after, { ...ready, message: 'n' })
  })
  t.test('with a new status moves it', async t => {
    const after = withCondition([other, ready], { type: 'Ready', status: 'True', reason: 'Done', message: '' }, now)
    t.strictSame(after[1]?.lastTransitionTime, '2026-01-02T00:00:00Z')
    t.equal(after[0], other)
  })
})

t.test('a merge patch leads from one document to another, and is empty between equal ones', async t => {
  const words = fc.constantFrom('a', 'b', 'c', '__proto__', 'toString')
  const plain = { noNullPrototype: true }
  const part = fc.oneof(fc.integer(), fc.string(), fc.array(fc.integer()), fc.dictionary(words, fc.integer(), plain))
  const document = fc.dictionary(words, part, plain).map(normal)
  fc.assert(
    fc.property(document, document, (before, after) => {
      t.ok(isDeepStrictEqual(mergePatched(before, mergePatchTo(before, after)), after))
      t.strictSame(mergePatchTo(before, structuredClone(before)), {})
    }),
    { numRuns: 100, seed: 1 },
  )
})

t.test('a text of a Secret is read as it was written, and is empty where there is none', async t => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'a' },
    data: encodedTexts({ word: 'Spalierbäume' }),
  }
  t.equal(secret.data.word, 'U3BhbGllcmLDpHVtZQ==')
  t.equal(secretText(secret, 'word'), 'Spalierbäume')
  for (const key of ['other', 'toString', '__proto__']) t.equal(secretText(secret, key), '', key)
  t.equal(secretText(undefined, 'word'), '')
})

t.test('a duration is read as Go reads it, to the nanosecond', async t => {
  const read: Readonly<Record<string, bigint>> = {
    '0': 0n,
    '-0': 0n,
    '1ns': 1n,
    '.5us': 500n,
    '1.µs': 1_000n,
    '-2ms': -2_000_000n,
    '+3s': 3_000_000_000n,
    '1h2m3.000000004s': 3_723_000_000_004n,
    '1s1s': 2_000_000_000n,
    '0.0000000009s': 0n,
    '2562047h47m16.854775807s': 2n ** 63n - 1n,
  }
  for (const [text, nanos] of Object.entries(read)) t.equal(durationNanos(text), nanos, text)
  const refused = ['', '1', 's', '.s', '1 s', '--1s', '1d', '1e3s', '2562047h47m16.854775808s', '9'.repeat(101)]
  for (const text of refused) t.equal(durationNanos(text), undefined, text)
  t.equal(durationSeconds('-1.5s'), -1.5)
  t.equal(durationSeconds('2m0.25s'), 120.25)
})
