// Values of Components: what lies over what, and what is no values.
import t from 'tap'
import { order } from '../../../functions/component/gather.ts'
import type { ComponentSpec } from '../../../shared/api/component.ts'
import { parametersOf } from '../../../shared/render/order.ts'
import { isQuick } from '../../harness/cpu-work.ts'
import { throws } from '../../harness/matches.ts'

const artifact = { key: '', called: 'nothing', packed: { files: new Map() } }

/** Values of a Component whose nth reference leads to the nth text. */
const valuesOf = (texts: readonly (string | undefined)[], own?: ComponentSpec['values']) => {
  const valuesFrom = texts.map((_, index) => ({ kind: 'Secret' as const, name: `values-${index}` }))
  return parametersOf(
    order({ source: { helm: {} }, valuesFrom }, artifact, index => texts[index]),
    own ?? {},
  )
}

t.test('CO-91 later references lie over earlier ones, and what the Component says over all', async t => {
  const rows: [what: string, texts: (string | undefined)[], own: ComponentSpec['values'], expected: object][] = [
    ['nothing', [], undefined, {}],
    ['maps are merged', ['a: {b: 1, c: 1}', 'a: {c: 2}'], { a: { d: 3 } }, { a: { b: 1, c: 2, d: 3 } }],
    ['lists and scalars are replaced', ['a: [1, 2]\nb: {c: 1}'], { a: [3], b: 4 }, { a: [3], b: 4 }],
    ['a map replaces a scalar', ['a: 1'], { a: { b: 2 } }, { a: { b: 2 } }],
    ['a null stays, for the defaults of the chart', ['a: 1\nb: {c: 1}', 'b: null'], { a: null }, { a: null, b: null }],
    ['what is absent or empty is nothing', ['a: 1', undefined, '', '# nothing\n', '---\n'], undefined, { a: 1 }],
    ['the order of keys is that of the first', ['z: 1\na: 1'], { z: 2 }, { z: 2, a: 1 }],
  ]
  for (const [what, texts, own, expected] of rows)
    t.equal(JSON.stringify(valuesOf(texts, own)), JSON.stringify(expected), what)
})

t.test('CO-91 what is no map of values is told by its place, never by its content', async t => {
  const refused = (text: string, message: RegExp) =>
    throws(t, () => valuesOf(['a: 1', text]), { name: 'RenderError', message }, text.slice(0, 40))
  refused('canary: [', /^spec\.valuesFrom\[1\] \(Secret values-1, key values\.yaml\) is not valid YAML: line \d+$/)
  refused('canary: {a: b\nc', /^[^y]*key values\.yaml\) is not valid YAML: line \d+$/)
  refused('- canary', /does not contain a map$/)
  refused('canary', /does not contain a map$/)
})

t.test('RE-22 keys with the names of methods are keys, and Object stays as it was', async t => {
  const text = '{__proto__: {polluted: 1}, constructor: {prototype: {polluted: 1}}, toString: a}'
  const merged = valuesOf([text, '__proto__: {more: 1}'], JSON.parse('{"__proto__": {"last": 1}, "toString": "b"}'))
  t.equal(
    JSON.stringify(merged),
    '{"__proto__":{"polluted":1,"more":1,"last":1},"constructor":{"prototype":{"polluted":1}},"toString":"b"}',
  )
  t.equal(Reflect.get({}, 'polluted'), undefined)
  t.equal(Object.getPrototypeOf(merged), Object.prototype)
})

t.test('RE-23 YAML that unfolds without end is refused', async t => {
  const levels = 'abcdefghij'.split('')
  const tenfold = (form: (name: string) => string) =>
    levels.map((name, at) =>
      at === 0 ? `${name}: &${name} {x: 1}` : `${name}: &${name} ${form(levels[at - 1] ?? '')}`,
    )
  const manifold = Array.from({ length: 25 }, (_, n) => {
    const former = n === 0 ? 'a' : `m${n}`
    return `m${n + 1}: &m${n + 1} {<<: *${former}, b: *${former}, c: *${former}}`
  })
  const bombs: [what: string, text: string][] = [
    ['aliases', tenfold(name => `[${`*${name}, `.repeat(10)}]`).join('\n')],
    ['merges', ['a: &a {x: 1}', ...manifold].join('\n')],
    ['maps in maps', `${'{a: '.repeat(100_000)}`],
    ['lists in lists', `a: ${'['.repeat(100_000)}`],
    ['an alias of itself', 'a: &a [*a]'],
  ]
  for (const [what, text] of bombs) {
    const refusal = { name: 'RenderError', message: /is not valid YAML: line \d+$/ }
    await isQuick(t, () => throws(t, () => valuesOf([text]), refusal, what), what)
  }
})
