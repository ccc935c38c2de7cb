// Values made at random from a seed, with strings that YAML, JSON and Go write in many ways.
import fc from 'fast-check'

const piece = fc.constantFrom(
  ...['a', 'b: ', '- ', '#', ' #', '\n', ' ', '  ', '"', "'", '1', '.', '0x', 'e', 'yes', '~', 'é', '😀', '\t', ':'],
  ...[
    '[',
    ']',
    '{',
    '}',
    ',',
    'word word word word',
    '|',
    '>',
    '&',
    '*',
    '!',
    '%',
    '@',
    '`',
    '\\',
    '=',
    '<',
    '-',
    '_',
    '+',
  ],
)
const joined = (size: { minLength?: number; maxLength: number }): fc.Arbitrary<string> =>
  fc.array(piece, size).map(parts => parts.join(''))

const value = fc.letrec<{ node: unknown }>(tie => ({
  node: fc.oneof(
    { maxDepth: 4 },
    joined({ maxLength: 12 }),
    joined({ minLength: 40, maxLength: 90 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(joined({ maxLength: 12 }), tie('node'), { maxKeys: 4 }),
  ),
})).node

/** How each value is written, and read again. */
export const writings: readonly string[] = [
  'toYaml',
  'dict "k" | toYamlPretty',
  'toJson',
  'toPrettyJson',
  'toRawJson',
  'printf "%v"',
  'printf "%#v"',
  'dict "k" | toYaml | fromYaml | toJson',
]

/** So many values, the same for the same seed. */
export const someValues = (seed: number, count: number): readonly unknown[] =>
  fc.sample(value, { seed, numRuns: count })
