// Whether values fit a schema, judged by the real helm: each case is a subchart of its own with schema and values, so that one
// run of helm, which names every chart whose values do not fit, judges them all.
import t, { type Test } from 'tap'
import { type Files, RenderError } from '../../../shared/render/generator.ts'
import { template } from '../../../shared/render/helm/helm.ts'
import { helmRun } from '../../corpus/helm-oracle.ts'
import { chart, chartYaml } from '../../make/component/chart.ts'
import { renderContext } from '../../make/component/render-context.ts'

type Case = { readonly schema: unknown; readonly values: object }

const chartOf = (cases: readonly Case[]): Files =>
  chart(
    Object.fromEntries(
      cases.flatMap(({ schema, values }, index) => [
        [`charts/case${index}/Chart.yaml`, chartYaml({ name: `case${index}` })],
        [`charts/case${index}/values.yaml`, JSON.stringify(values)],
        [`charts/case${index}/values.schema.json`, JSON.stringify(schema)],
      ]),
    ),
  )

const ourComplaint = (files: Files): string => {
  try {
    template(files)(renderContext(), {})
    return ''
  } catch (error) {
    if (error instanceof RenderError) return error.message
    throw error
  }
}

/** For each case whether the complaint names its chart. */
const verdicts = (complaint: string, cases: readonly Case[]): string[] => {
  const refused = new Set([...complaint.matchAll(/case(\d+):\s/g)].map(([, index]) => Number(index)))
  return cases.map((_, index) => (refused.has(index) ? 'refused' : 'taken'))
}

/** Compares the verdicts, and holds that there are some of both kinds. */
const judged = async (t: Test, cases: readonly Case[]): Promise<void> => {
  const files = chartOf(cases)
  const [theirs, ours] = [(await helmRun(files)).stderr, ourComplaint(files)]
  const expected = verdicts(theirs, cases)
  for (const [index, verdict] of verdicts(ours, cases).entries())
    t.equal(verdict, expected[index], JSON.stringify(cases[index]))
  t.strictSame([...new Set(expected)].sort(), ['refused', 'taken'], 'helm takes some and refuses some')
}

const draft = (version: number, schema: object): object => ({
  $schema: `http://json-schema.org/draft-0${version}/schema#`,
  ...schema,
})

/** Each schema with each of the values. */
const crossed = (schemas: readonly unknown[], values: readonly object[]): Case[] =>
  schemas.flatMap(schema => values.map(value => ({ schema, values: value })))

t.test('CO-75 a root that is a reference counts for what it refers to, wherever that stands', async t => {
  const parts = { values: { type: 'object', properties: { replicas: { type: 'number' } } } }
  const beside = { required: ['absent'], type: 'array', properties: { replicas: { type: 'number' } } }
  const nested = { properties: { replicas: { $ref: '#/definitions/values/properties/replicas' } }, definitions: parts }
  const schemas = [
    ...[4, 6, 7].flatMap(version => [
      draft(version, { $ref: '#/$defs/values', $defs: parts }),
      draft(version, { $ref: '#/definitions/values', definitions: parts, ...beside }),
      draft(version, { $ref: '#/properties/all', properties: { all: parts.values } }),
      draft(version, { $ref: '#/parts/values', parts }),
      draft(version, { $ref: '#/definitions/values', definitions: parts, $id: 'http://example.org/x', id: 'y' }),
      draft(version, nested),
      draft(version, {
        properties: { replicas: { $ref: '#/$defs/one', type: 'string' } },
        $defs: { one: { type: 'number' } },
      }),
    ]),
    { $ref: '#/$defs/values', $defs: parts },
    { $ref: '#/$defs/values', $defs: parts, required: ['absent'] },
    { $ref: '#/$defs/none', $defs: parts },
  ]
  await judged(t, crossed(schemas, [{ replicas: 1 }, { replicas: 'many' }]))
})

t.test('CO-75 identifiers, and words that are none of JSON Schema', async t => {
  const text = { type: 'string' }
  const schemas = [
    draft(4, { id: 'http://example.org/x', properties: { a: { id: '#/properties/a', ...text } } }),
    draft(4, { properties: { a: { $ref: 'text' } }, definitions: { x: { id: 'text', ...text } } }),
    draft(4, { properties: { a: { $ref: 'text' } }, definitions: { x: text } }),
    draft(4, { properties: { a: { $ref: '#text' } }, definitions: { x: { id: '#text', ...text } } }),
    draft(4, { properties: { a: { $id: 'text', ...text }, b: { $id: 'text' } } }),
    draft(7, { properties: { a: { id: '#/properties/a', ...text } } }),
    draft(7, {
      $id: 'http://example.org/x',
      properties: { a: { $ref: 'text' } },
      definitions: { x: { $id: 'text', ...text } },
    }),
    draft(7, { properties: { a: { $id: '#/x', ...text }, b: { $id: '#/x' }, c: { $id: '#' }, d: { $id: '' } } }),
    draft(7, { properties: { a: { $anchor: 'x', ...text }, b: { $anchor: 'x' } } }),
    draft(7, { properties: { a: text, id: { type: 'number' }, $id: { type: 'number' }, $ref: text, nullable: text } }),
    draft(7, {
      properties: { a: { enum: ['x', { $ref: 'y', nullable: true, id: 'z' }], default: { $ref: 'nowhere' } } },
    }),
    draft(7, { properties: { a: { ...text, examples: [{ $id: 'x', $ref: 'nowhere' }, { $id: 'x' }] } } }),
    { properties: { a: { $ref: '#/definitions/x' } }, definitions: { x: { ...text, id: 'foo' } } },
    { properties: { a: { $ref: '#text' } }, $defs: { x: { ...text, $anchor: 'text' } } },
    { properties: { a: { $id: '#/properties/a', ...text } } },
    { properties: { a: { ...text, nullable: true } } },
    { properties: { a: { anyOf: [text], nullable: true } } },
    draft(7, { properties: { a: { anyOf: [text], nullable: false } } }),
    draft(7, { $async: true, properties: { a: text } }),
    { $async: true, properties: { a: text } },
  ]
  await judged(t, crossed(schemas, [{ a: 'x' }, { a: 1 }, { a: null }, { a: { $ref: 'y', nullable: true, id: 'z' } }]))
})

t.test('CO-75 each draft knows its own words', async t => {
  const words = [
    { properties: { a: { minimum: 1, exclusiveMinimum: true } } },
    { properties: { a: { minimum: 1, maximum: 1.5 } } },
    { properties: { a: { const: 2 } } },
    JSON.parse(
      '{"if": {"properties": {"a": {"minimum": 2}}}, "then": {"required": ["b"]}, "else": {"required": ["c"]}}',
    ),
    { propertyNames: { maxLength: 0 } },
    { properties: { a: { multipleOf: 0.1 } } },
    { properties: { b: { contains: { type: 'string' } } } },
    { dependentRequired: { a: ['z'] } },
    { dependencies: { a: ['z'] } },
  ]
  const spellings = [
    ...['http://json-schema.org/draft/2020-12/schema', 'https://json-schema.org/draft/2020-12/schema#'],
    ...['http://json-schema.org/draft/2019-09/schema#', 'https://json-schema.org/draft/2019-09/schema'],
    ...[
      'http://json-schema.org/schema',
      'https://json-schema.org/draft-07/schema',
      'http://json-schema.org/draft-06/schema',
    ],
    ...[
      'https://json-schema.org/draft-04/schema#',
      'json-schema.org/draft-07/schema',
      'constructor',
      'draft-07/schema',
    ],
  ]
  const schemas = spellings.flatMap($schema => words.map(word => ({ $schema, ...word })))
  await judged(t, crossed(schemas, [{ a: 1 }, { a: 2 }, { a: 0.3, b: [1] }]))
})

const formats: Readonly<Record<string, readonly unknown[]>> = {
  uri: [
    ...['https://example.com:8080/{{ .Values.x }}', 'redis://a:6379,b:6379/0', 'redis://a,b:6379/0', 'oci://ghcr.io/x'],
    ...['http://a_b.c/x', 'http://a_b.c/ x', 'a', '', '/a', '//a', '*', 'x:', 'x:%zz', 'http://h/%zz', 'http://h?%zz'],
    ...[
      'http://h#%zz',
      'http://%41/',
      'http://%c3%a9/',
      'http://u p@h',
      'http://u:p@h',
      'http://[::1]:80/',
      'http://[::1',
    ],
    ...[
      'http://[::g]/',
      'http://[1.2.3.4]/',
      'http://a[b]/',
      'http://[fe80::1%25en0]/',
      'http://::1/',
      'http://a:x/',
      '1a:b',
    ],
    ...['http://h/\u0001', 'http://a"b<c>/', 'http://a^b/', 5],
  ],
  'uri-reference': ['a b', '', '/a?b#c', 'a\\b', '://', 'a:b', '1:b', '%', '//[', '//a:b'],
  iri: ['http://é.com/ü', 'é'],
  'iri-reference': ['é', 'a\\b'],
  'uri-template': [
    'http://h/{a}',
    '/{a',
    '/a}',
    '/{a}{b}',
    '/{{a}}',
    '/{a/b}',
    '/%7Ba',
    '/%7Ba%7D/{c}',
    '/a b/%7B',
    '{a:b}',
  ],
  email: [
    ...[
      'a@b',
      '@b',
      'a',
      'a@',
      'a b@c',
      '"a b"@c',
      '"a\\"b"@c',
      '.a@b',
      'a.@b',
      'a..b@c',
      'a@[1.2.3.4]',
      'a@[1.2.3.400]',
    ],
    ...['a@[IPv6:::1]', 'a@[::1]', 'a@b@c', 'é@b', `${'a'.repeat(64)}@b`, `${'a'.repeat(65)}@b`, 'a@b_c', '"@b'],
  ],
  hostname: [
    'a',
    '',
    '.',
    'a.',
    'a..b',
    'a_b',
    '*.a',
    '-a',
    'a-',
    'A-1.b',
    'a'.repeat(64),
    'a'.repeat(63),
    'é',
    `${'a.'.repeat(127)}`,
  ],
  ipv4: ['1.2.3.4', '1.2.3.04', '1.2.3', '1.2.3.256', '0.0.0.0', '1.2.3.4 ', ''],
  ipv6: [
    '::',
    '::1',
    '1:2:3:4:5:6:7:8',
    '1:2:3:4:5:6:7',
    '::ffff:1.2.3.4',
    '1:2:3:4:5:6:1.2.3.4',
    '::1.2.3.4:5',
    'fe80::1%eth0',
    '1.2.3.4',
    '::1::',
    'g::',
    ':1',
    '12345::',
  ],
  date: ['2024-02-29', '2023-02-29', '2024-13-01', '2024-1-1', '0000-01-01', '2024-04-31', '2024-02-29 '],
  time: [
    ...[
      '12:00:00Z',
      '12:00',
      '12:00:00',
      '24:00:00Z',
      '23:59:60Z',
      '23:58:60Z',
      '12:00:00.5z',
      '12:00:00.Z',
      '12:00:00+01:00',
    ],
    ...['00:59:60+01:00', '22:59:60-01:00', '12:00:00+24:00', '12:00:00+0100', '12-00-00Z', '23:59:61Z'],
  ],
  'date-time': [
    '2024-02-29T12:00:00Z',
    '2024-02-30T12:00:00Z',
    '2024-02-29t12:00:00z',
    '2024-02-29 12:00:00Z',
    '2024-02-29T12:00Z',
  ],
  duration: [
    'P',
    'P1D',
    'PT',
    'PT5M',
    'P1W',
    'P1W1D',
    'PW',
    '5m',
    'P1D1Y',
    'P1Y2M3DT4H5M6S',
    'PT1.5S',
    'P1',
    'P1DT',
    'PT1HT1M',
    'P1H',
  ],
  period: [
    'P1D/2024-02-29T12:00:00Z',
    '2024-02-29T12:00:00Z/P1D',
    '2024-02-29T12:00:00Z/2024-03-01T12:00:00Z',
    'P1D/P1D',
    'x',
    'P1D',
  ],
  semver: ['1.2.3', 'v1.2.3', '1.2', '1.2.3-a.b+c-d', '1.2.3-01', '1.2.3-0a', '01.2.3', '1.2.3-', '1.2.3+', '1.2.3--'],
  uuid: [
    'b1d5d3b0-0000-4000-8000-000000000001',
    'B1D5D3B0-0000-4000-8000-000000000001',
    'b1d5d3b0',
    'urn:uuid:b1d5d3b0-0000-4000-8000-000000000001',
  ],
  'json-pointer': ['', '/', '/a~0/~1b', '/~', '/~2', 'a', '/a\nb'],
  'relative-json-pointer': ['0', '0#', '1/a', '01', '', '-1', '2#a', '1/~2'],
  regex: ['^a+$', '(', '(?!x)', '\\d'],
  byte: ['%%'],
  int32: [9999999999, 'x'],
  int64: ['x', 1.5],
  float: ['x'],
  double: ['x'],
  password: ['x'],
  binary: ['x'],
  url: ['no url'],
  'iso-time': ['x'],
  'idn-email': ['x'],
}

t.test('CO-75 formats are those that helm knows, and mean what they mean to it', async t => {
  const cases = Object.entries(formats).flatMap(([format, all]) =>
    all.map(value => ({ schema: draft(7, { properties: { a: { format } } }), values: { a: value } })),
  )
  await judged(t, cases)
})

t.test('CO-75 formats are remarks since 2019', async t => {
  const schemas = ['2019-09', '2020-12'].map(version => ({
    $schema: `https://json-schema.org/draft/${version}/schema`,
    properties: { a: { format: 'ipv4' } },
  }))
  await judged(t, [
    ...crossed(schemas, [{ a: 'x' }]),
    ...crossed([draft(6, { properties: { a: { format: 'ipv4' } } })], [{ a: 'x' }]),
  ])
})

const languages = [
  undefined,
  ...[4, 6, 7].map(version => `http://json-schema.org/draft-0${version}/schema#`),
  'https://json-schema.org/draft/2019-09/schema',
  'https://json-schema.org/draft/2020-12/schema',
]
const strangeNames = [
  ...languages.filter(name => name !== undefined).flatMap(name => [name, name.replace('#', '')]),
  'https://json-schema.org/draft/2019-09/meta/core',
  'https://json-schema.org/draft/2020-12/meta/core',
  ...['', '#', 'x', '__proto__', 'constructor'],
]

t.test('RE-40 whatever a schema calls itself, the next chart is judged as if it had not been there', async t => {
  const own = ($schema: string | undefined) => ({ ...($schema && { $schema }), properties: { a: { type: 'integer' } } })
  const complaint = (schema: object, a: unknown): string =>
    ourComplaint(
      chart({ 'Chart.yaml': chartYaml(), 'values.schema.json': JSON.stringify(schema), 'values.yaml': { a } }),
    )
  const verdictsOfAll = () => languages.map(language => [1, 'x'].map(a => complaint(own(language), a)))
  const before = verdictsOfAll()
  t.ok(before.every(([fits = '', fitsNot = '']) => fits === '' && /'\/a'.*integer/.test(fitsNot)))
  for (const language of languages)
    for (const name of strangeNames) {
      complaint({ ...own(language), $id: name }, 1)
      complaint({ ...own(language), id: name, properties: { a: { $id: name, id: name, type: 'integer' } } }, 1)
      complaint({ ...own(language), $defs: { a: { $id: name, $anchor: 'a', $dynamicAnchor: 'meta' } } }, 1)
    }
  t.strictSame(verdictsOfAll(), before)
})
