// YAML means what it means to kubectl, which judges here; and what is made to exhaust a reader is refused.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { sameJson } from '../../../shared/core/json/json.ts'
import { encodedText } from '../../../shared/core/objects/secret-text.ts'
import { readYaml, YamlError } from '../../../shared/core/yaml/read.ts'
import { type Files, RenderError } from '../../../shared/render/generator.ts'
import { built } from '../../../shared/render/kustomize/kustomize.ts'
import { objectsIn } from '../../corpus/helm-oracle.ts'
import { isQuick } from '../../harness/cpu-work.ts'
import { throws } from '../../harness/matches.ts'
import { judge } from '../render/kustomize-oracle.ts'
import { helmJudge, ours } from '../render/template/oracle.ts'
import { broken, documents, documentsWithLongKeys } from './yaml-random.ts'

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
    '  missing: {a, b: , "c":1, d:e, ? f, ? g : 1, }',
    '  pairs: [a: 1, "b":, ? c : 2, d, ]',
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
    '  1.10: one',
    '  1e6: million',
    '  0.1234567890123: ninth digit',
    '  breaks: "a\x85b\u2028c\rd"',
    '  ? long',
    '  : key',
    '  ?',
    '    "of',
    '    lines"',
    '  : key',
  ])
  const [theirs] = await objectsIn(text)
  t.strictSame(readYaml(text), theirs)
})

t.test('CO-75 what is in quotes or brackets goes on in lines that are no deeper than its key', async t => {
  const text = written([
    '  double: "one',
    'two',
    '',
    '  three \\',
    ' four"',
    "  single: 'one",
    '',
    "two'",
    '  list: [',
    'one, # of two',
    '"two',
    'and a half"',
    ']',
    '  map: {a: 1,',
    'b: {',
    '}',
    '}',
    '  items:',
    '  - [',
    '  ]',
    '  - "',
    '"',
  ])
  const [theirs] = await objectsIn(text)
  t.strictSame(readYaml(text), theirs)
})

t.test('CO-75 what comes through an alias is a value of its own', async t => {
  const read = readYaml('one: &one {a: [1]}\nother: *one') as Record<string, { a: number[] }>
  read.one?.a.push(2)
  t.strictSame(read, { one: { a: [1, 2] }, other: { a: [1] } })
})

t.test('CO-76 a block that ends with the file has no line break at its end that is not there', async t => {
  const resources = ['|', '|+', '>'].map((sign, index) => resource(`r${index}`, `  text: ${sign}\n    a`))
  const files = new Map(resources.map((text, index) => [`r${index}.yaml`, Buffer.from(text)]))
  files.set('kustomization.yaml', Buffer.from(JSON.stringify({ resources: [...files.keys()] })))
  const [verdict] = await judge([{ files, path: '' }])
  const objects = built(files)
  t.strictSame(verdict, { objects })
  t.strictSame(
    objects.map(({ data }) => data),
    [{ text: 'a' }, { text: 'a' }, { text: 'a' }],
  )
})

const corpus = join(import.meta.dirname, '..', '..', 'corpus')

/** Documents of the corpus, each within a map of its own: what follows the first value of a text is another question. */
const corpusDocuments = (): string[] =>
  readdirSync(corpus, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.yaml') && !path.includes('templates/'))
    .flatMap(path => readFileSync(join(corpus, path), 'utf8').split(/^---.*\n/m))
    .map(text => ['corpus:', ...text.split('\n').slice(0, 60)].join('\n '))

const reading = (index: number): string =>
  `{{ $read := index .Values.texts ${index} | b64dec | fromYaml }}{{ if hasKey $read "Error" }}a fault{{ else }}{{ toJson $read }}{{ end }}`

t.test('CO-75 random documents are what they are to helm, and faults where they are faults to it', async t => {
  const judge = await helmJudge(t)
  const whole = fc.sample(documentsWithLongKeys(0), { seed: 75, numRuns: 1_000 })
  const texts = [
    ...whole,
    ...fc.sample(broken(documentsWithLongKeys(0), 2), { seed: 76, numRuns: 1_000 }),
    ...fc.sample(broken(fc.constantFrom(...corpusDocuments()), 3), { seed: 77, numRuns: 600 }),
  ]
  const theirs = await judge.outputs(
    texts.map((_, index) => reading(index)),
    { texts: texts.map(encodedText) },
  )
  const found = texts.map((text, index) => ({
    text,
    ours: ours(reading(0), { texts: [encodedText(text)] }),
    theirs: theirs[index],
  }))
  const isRead = ({ ours }: { ours: string }): boolean => ours !== 'a fault'
  t.ok(found.slice(0, whole.length).filter(isRead).length > 700, 'most that are not broken can be read')
  t.ok(found.filter(one => !isRead(one)).length > 500, 'many that are broken cannot')
  t.strictSame(
    found.filter(({ ours, theirs }) => ours !== theirs),
    [],
  )
})

/** A ConfigMap with something below `data`, which only kustomize's own reader sees. */
const resource = (name: string, text: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n${text}`

t.test('CO-76 random documents are what they are to kubectl, and faults where they are faults to it', async t => {
  const texts = [
    ...fc.sample(documents(2), { seed: 78, numRuns: 300 }),
    ...fc.sample(broken(documents(2), 1), { seed: 88, numRuns: 300 }),
  ]
  const files = new Map(texts.map((text, index) => [`r${index}.yaml`, Buffer.from(resource(`r${index}`, text))]))
  const of = (resources: readonly string[]): Files =>
    new Map([
      ...[...files].filter(([path]) => resources.includes(path)),
      ['kustomization.yaml', Buffer.from(JSON.stringify({ resources }))],
    ])
  const parted = Map.groupBy(files.keys(), path => isBuilt(of([path])))
  const [read = [], refused = []] = [parted.get(true), parted.get(false)]
  t.ok(read.length > 250 && refused.length > 50, `${read.length} are read, ${refused.length} are not`)
  const verdicts = await judge(
    [read, ...refused.slice(0, 30).map(path => [path])].map(paths => ({ files: of(paths), path: '' })),
  )
  const [all, ...each] = verdicts
  const theirs = all && 'objects' in all ? all.objects : []
  const objects = built(of(read))
  t.equal(objects.length, theirs.length)
  t.strictSame(
    objects.flatMap((object, index) =>
      sameJson(object, theirs[index]) ? [] : [{ ours: object, theirs: theirs[index] }],
    ),
    [],
  )
  t.strictSame(
    each.flatMap((verdict, index) => ('objects' in verdict ? [refused[index]] : [])),
    [],
  )
})

const isBuilt = (files: Files): boolean => {
  try {
    return built(files).length > 0
  } catch (error) {
    if (error instanceof RenderError) return false
    throw error
  }
}

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
    ['a: 1\n b: 2\nc', 2],
    ['a:\n  - 1\n - 2', 3],
    ['a: "x\n---\n"', 2],
    ['a: [\n---\n]', 2],
    ['a: 1\nb: "x', 2],
    ['a: &a\n  b: *a', 2],
    ['a: \x01', 1],
    ['a: |0\n b', 1],
    ['a: b: c', 1],
    [`${'k'.repeat(1_025)}: 1`, 1],
  ]
  for (const [text, line] of rows) throws(t, () => readYaml(text), { name: 'YamlError', line }, JSON.stringify(text))
})

t.test('RE-23 bombs of aliases, merges and nesting are refused', async t => {
  const levels = Array.from({ length: 12 }, (_, n) => `l${n + 1}: &l${n + 1} [${`*l${n}, `.repeat(10)}]`)
  const merges = Array.from({ length: 25 }, (_, n) => `m${n + 1}: &m${n + 1} {<<: *m${n}, a: *m${n}, b: *m${n}}`)
  for (const text of [
    ['l0: &l0 [x]', ...levels].join('\n'),
    ['m0: &m0 {a: 1}', ...merges].join('\n'),
    'a: &a [*a]',
    '['.repeat(200_000),
    '{a: '.repeat(100_000),
  ])
    await isQuick(t, () => throws(t, () => readYaml(text), YamlError), text.slice(0, 20))
})
