// YAML means what it means to kubectl, which judges here; and what is made to exhaust a reader is refused.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { documentsIn, parsedDocument } from '../../../shared/component/kustomize/documents.ts'
import { readBlockYaml } from '../../../shared/component/yaml/block.ts'
import { jsonDialect, parsedYaml, readYaml, YamlError } from '../../../shared/component/yaml/read.ts'
import { objectsIn } from '../../corpus/helm-oracle.ts'

const written = (lines: readonly string[]): string =>
  ['apiVersion: example.org/v1', 'kind: Text', 'metadata: {name: text}', 'items_:', ...lines].join('\n')

const scalars = [
  ...['y', 'N', 'yes', 'No', 'TRUE', 'oN', 'on', 'off', 'null', 'Null', 'nULL', '~', '', 'true1', '<<', '='],
  ...[
    '0',
    '-0',
    '007',
    '0644',
    '08',
    '0o17',
    '0O7',
    '0x1F',
    '0XaB',
    '-0x1',
    '0b101',
    '-0b1',
    '0b2',
    '1_000',
    '_1',
    '1_',
  ],
  ...[
    '1.',
    '.5',
    '-.5',
    '+1',
    '1e3',
    '1E-3',
    '1e',
    '.e1',
    '1.5e+3',
    '1__0.5',
    '._5',
    '1:30',
    '12:30:45',
    '190:20:30.15',
  ],
  ...[
    '2024-01-01',
    '2024-1-1T1:1:1Z',
    '2024-01-01 10:00:00',
    '1.2.3',
    'v1',
    '18446744073709551615',
    '9223372036854775808',
  ],
  ...[
    '0x1ffffffffffffffffffff',
    '0xffffffffffffffff',
    '+0xffffffffffffffff',
    '-0x8000000000000000',
    '-0x8000000000000001',
  ],
  ...['07777777777777777777777777', '-0777777777777777777777777', '0o7777777777777777777777777', `0b${'1'.repeat(65)}`],
  ...['1e400', '-9223372036854775809', '18446744073709551616', '.1_0', '.1__0', '._1', '1._0', '0_7', '0x_1'],
  ...['0777777777777777777777', '1e308', '123456789012345678901234567890', '12e03', '0.1', '100000000000000000000'],
]

const alphabet = [
  '0',
  '1',
  '7',
  '8',
  '9',
  'a',
  'b',
  'e',
  'E',
  'f',
  'n',
  'o',
  'x',
  'y',
  '.',
  '_',
  '+',
  '-',
  ':',
  '~',
  'T',
  'Z',
]
const random = fc.sample(fc.string({ unit: fc.constantFrom(...alphabet), minLength: 1, maxLength: 6 }), {
  seed: 75,
  numRuns: 3_000,
})

/** What begins or ends like this would be another piece of YAML. */
const isPlain = (text: string): boolean => !/^[-:?]$|^[-:?] |:$|^---/.test(text)

t.test('CO-75 plain scalars are what they are to kubectl', async t => {
  const all = [...scalars, ...random.filter(isPlain)]
  const text = written(all.map(scalar => `- ${scalar}`))
  const [theirs] = await objectsIn(text)
  const [ours, expected] = [readYaml(text), theirs].map(object => (object as { items_: unknown[] }).items_)
  t.equal(ours?.length, all.length)
  t.strictSame(
    all.filter((_, index) => ours?.[index] !== expected?.[index]),
    [],
  )
})

t.test('CO-75 so are keys, blocks, anchors, merges and tags', async t => {
  const text = written([
    '  y: 1',
    '  0644: octal',
    '  1.50: float',
    '  true: boolean',
    '  base: &base {a: 1, b: {c: 2}}',
    '  before: {a: 9, <<: *base}',
    '  after: {<<: *base, a: 9}',
    '  several: {<<: [*base, {a: 5, d: 6}]}',
    '  twice: 1',
    '  twice: 2',
    '  again: &base other',
    '  latest: *base',
    '  tags: [!!str 1, !!int "7", !!float 1, !!bool "yes", !!null "", !own x, !!binary aGk=, ! 12]',
    '  literal: |',
    '    a',
    '      b',
    '',
    '  kept: |+',
    '    a',
    '',
    '  folded: >2-',
    '     a',
    '    b',
    '  __proto__: {x: 1}',
    "  quoted: [\"\\u00e9\\x41\\n\", 'it''s', \"a",
    '    b"]',
  ])
  const [theirs] = await objectsIn(text)
  t.strictSame(readYaml(text), theirs)
})

const corpus = join(import.meta.dirname, '..', '..', 'corpus')

/** Of the corpus; templates are none. */
const documents = (): string[] =>
  readdirSync(corpus, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.yaml') && !path.includes('templates/'))
    .flatMap(path => readFileSync(join(corpus, path), 'utf8').split(/^---.*\n/m))

const pieces = [
  ...[
    ' ',
    '  ',
    '\n',
    '\n\n',
    '\n  \n',
    '\t',
    '\u00a0',
    '\u2028',
    '\ufeff',
    '- ',
    '-',
    ': ',
    ':',
    '?',
    '#',
    ' #',
    '"',
    "'",
  ],
  ...[
    '|',
    '>',
    '|-',
    '|+',
    '|2\n',
    '>-',
    '&a ',
    '*a',
    '!x ',
    '{}',
    '[]',
    '{',
    ']',
    ',',
    '%',
    '@',
    '\\',
    '---\n',
    '...\n',
  ],
  ...['~', 'null', 'yes', '1e3', '.inf', '<<: ', 'é', 'key:\n', 'a: b', '- - a', '  x\n', '    y', '"\\u0041"', "''"],
]

const outcome = (read: (text: string) => unknown, text: string): unknown => {
  try {
    return read(text)
  } catch (error) {
    if (error instanceof YamlError) return 'a fault'
    throw error
  }
}

t.test('CO-75 CO-76 what is read quickly is what the full parser reads', t => {
  const texts = documents()
  const strike = fc.record({
    text: fc.constantFrom(...texts),
    keptLines: fc.constantFrom(1, 3, 9, 1_000),
    strikes: fc.array(fc.record({ at: fc.nat(), cut: fc.nat(3), piece: fc.constantFrom(...pieces) }), { maxLength: 3 }),
  })
  const struck = fc.sample(strike, { seed: 75, numRuns: 5_000 }).map(({ text, keptLines, strikes }) =>
    strikes.reduce((rest, { at, cut, piece }) => {
      const place = at % (rest.length + 1)
      return rest.slice(0, place) + piece + rest.slice(place + cut)
    }, text.split('\n').slice(0, keptLines).join('\n')),
  )
  const quick = [...texts, ...struck].flatMap(text => {
    const read = readBlockYaml(text, jsonDialect)
    return read === undefined ? [] : [{ text, value: read.value }]
  })
  t.ok(quick.length > 500, `${quick.length} of ${texts.length + struck.length}`)
  const wrong = quick.filter(({ text, value }) => !isDeepStrictEqual(outcome(parsedYaml, text), value))
  t.strictSame(wrong, [])
  const slowly = (text: string): unknown[] => [parsedDocument(text)].filter(value => value !== undefined)
  const otherwise = quick.filter(({ text }) => !isDeepStrictEqual(documentsIn(text), slowly(text)))
  t.strictSame(otherwise, [], 'as kustomize reads it too')
  t.end()
})

t.test('CO-75 what JSON cannot say is refused with its line', async t => {
  const rows: [text: string, line: number][] = [
    ['a: 1\nb: .inf', 2],
    ['a: 1\n\n~: 1', 3],
    ['a: 1\n[b]: 1', 2],
    ['a: *nothing', 1],
    ['a: 1\n<<: 5', 2],
    ['a: "', 1],
    ['a: 1\n\tb: 2', 2],
    ['...\na: 1', 1],
    ['# first\n\n...', 3],
    ['a: !!int x', 1],
    ['a: "\\\\ud83d"\nb: "\\ud83d\\ude00"', 2],
  ]
  for (const [text, line] of rows) t.throws(() => readYaml(text), { name: 'YamlError', line }, JSON.stringify(text))
})

t.test('RE-23 bombs of aliases, merges and nesting are refused', async t => {
  const levels = Array.from({ length: 12 }, (_, n) => `l${n + 1}: &l${n + 1} [${`*l${n}, `.repeat(10)}]`)
  const merges = Array.from({ length: 25 }, (_, n) => `m${n + 1}: &m${n + 1} {a: *m${n}, b: *m${n}, <<: *m${n}}`)
  for (const text of [
    ['l0: &l0 [x]', ...levels].join('\n'),
    ['m0: &m0 {a: 1}', ...merges].join('\n'),
    'a: &a [*a]',
    '['.repeat(200_000),
    '{a: '.repeat(100_000),
  ])
    t.throws(() => readYaml(text), YamlError, text.slice(0, 20))
})
