// Values and templates made at random from a seed: statements nested in each other around pipelines that cannot fail.
import fc from 'fast-check'

export type Round = { readonly values: Record<string, unknown>; readonly templates: readonly string[] }

const word = fc.constantFrom(
  'a',
  'b',
  'yes',
  'null',
  '0644',
  '1e3',
  'é☃',
  'x: y',
  ' pad ',
  'two\nlines\n',
  '- item',
  '#',
  "it's",
  '😀',
  'Mixed-Case_word',
)
const scalar = fc.oneof(
  word,
  fc.integer({ min: -9_999_999, max: 9_999_999 }),
  fc.constantFrom(0, 0.5, 1e21, 1e-7, 123456.75),
  fc.boolean(),
)
const tree = fc.letrec<{ node: unknown }>(tie => ({
  node: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'a10', 'a9'), tie('node'), { maxKeys: 3 }),
  ),
})).node

const values = fc.record({
  text: word,
  number: fc.integer({ min: 0, max: 9 }),
  list: fc.array(scalar, { maxLength: 4 }),
  map: fc.dictionary(fc.constantFrom('a', 'b', 'c'), scalar),
  tree,
})

const subject = fc.constantFrom(
  '.Values.text',
  '.Values.number',
  '.Values.list',
  '.Values.map',
  '.Values.tree',
  '.Values.none',
  '$x',
  '.',
  '"lit"',
  '7',
  '(dict "k" $x)',
  '(list . $x 1)',
)
const filter = fc.constantFrom(
  ...[
    'toJson',
    'toYaml',
    'toString | upper',
    'toString | quote',
    'toYaml | indent 2',
    'toYaml | nindent 4',
    'default "d"',
    'empty',
    'kindOf',
    'typeOf',
    'printf "%v"',
    'printf "%+v|%T"',
  ],
  ...[
    'toString | trunc 5',
    'toString | b64enc',
    'toString | snakecase',
    'toString | title',
    'toString | replace "a" "zz"',
    'toPrettyJson',
    'toString | splitList "a" | join "-"',
    'toString | trim | len',
  ],
  ...[
    'toYaml | fromYaml | toJson',
    'list | toYaml',
    'dict "in" | toYaml',
    'toString | sha256sum',
    'int',
    'float64',
    'list | first | toString',
    'printf "%10v|"',
    'toYamlPretty',
    'toString | wrap 5',
    'html',
    'print 1',
  ],
)
const pipeline = fc
  .tuple(subject, fc.array(filter, { minLength: 1, maxLength: 2 }))
  .map(([from, through]) => [from, ...through].join(' | '))
const condition = fc.oneof(
  subject,
  fc.tuple(subject, subject).map(([a, b]) => `and ${a} ${b}`),
  fc.tuple(subject, subject).map(([a, b]) => `or ${a} (not ${b})`),
  fc.constantFrom(
    'eq .Values.text "a"',
    'gt (int .Values.number) 4',
    'hasKey .Values.map "a"',
    'kindIs "map" .Values.tree',
  ),
)
const trim = fc.constantFrom('', '', '- ')
const opened = (marker: string, body: string): string => `{{${marker}${marker === '' ? ' ' : ''}${body} }}`

const statement = fc.letrec<{ node: string }>(tie => {
  const body = fc.array(tie('node'), { maxLength: 3 }).map(parts => parts.join(''))
  return {
    node: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'statement' },
      fc.tuple(trim, pipeline).map(([marker, pipe]) => opened(marker, pipe)),
      fc.constantFrom(' text ', '\n', '  \n\t', 'é'),
      fc
        .tuple(trim, condition, body, body)
        .map(([m, c, a, b]) => `${opened(m, `if ${c}`)}${a}{{ else }}${b}{{ end -}}`),
      fc.tuple(subject, body, body).map(([s, a, b]) => `{{ with ${s} }}${a}{{ else }}${b}{{ end }}`),
      fc
        .tuple(body, body)
        .map(([a, b]) =>
          `{{ range $i, $x := .Values.list }}${a}{{ $i }}{{ else }}${b}{{ end }}`.replace('.Values', '$.Values'),
        ),
      body.map(a => `{{- range $k, $x := $.Values.map }}{{ $k }}={{ $x }}${a}{{ end }}`),
      pipeline.map(pipe => `{{ $x = ${pipe} }}`),
      fc.tuple(pipeline, body).map(([pipe, a]) => `{{ if true }}{{ $x := ${pipe} }}${a}{{ $x }}{{ end }}`),
    ),
  }
}).node

/** Dots within loops and `with` are what they are there, so values are reached from the top. */
const template = statement.map(text => `{{ $x := 1 }}${text.replaceAll(/(?<!\$)\.Values/g, '$.Values')}`)

export type Wanted = { readonly seed: number; readonly rounds: number; readonly perRound: number }

export const someTemplates = ({ seed, rounds, perRound }: Wanted): readonly Round[] =>
  Array.from({ length: rounds }, (_, round) => ({
    values: fc.sample(values, { seed: seed + round, numRuns: 1 })[0] ?? {},
    templates: fc.sample(template, { seed: seed - round - 1, numRuns: perRound }),
  }))
