// YAML means what it means to kubectl, which judges here; and what is made to exhaust a reader is refused.
import fc from 'fast-check'
import t from 'tap'
import { readYaml, YamlError } from '../../../shared/component/yaml/read.ts'
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

t.test('CO-75 what JSON cannot say is refused with its line', async t => {
  const rows: [text: string, line: number][] = [
    ['a: 1\nb: .inf', 2],
    ['a: 1\n\n~: 1', 3],
    ['a: 1\n[b]: 1', 2],
    ['a: *nothing', 1],
    ['a: 1\n<<: 5', 2],
    ['a: "', 1],
    ['a: 1\n\tb: 2', 2],
    ['a: !!int x', 1],
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
