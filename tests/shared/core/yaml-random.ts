// Documents made at random, as nobody would write them but anybody may: scalars in quotes, brackets and blocks whose next lines are
// deeper than their key, or not, with line breaks, comments and escapes in all places; and what becomes of them when they are broken.
import fc from 'fast-check'

/** How a node is written in a map or list of this indentation, behind the colon or dash. */
type Write = (indent: number) => string

const pad = (columns: number): string => ' '.repeat(Math.max(0, columns))

const oneOf = (texts: string): fc.Arbitrary<string> => fc.constantFrom(...texts.split('¦'))

const lines = (line: fc.Arbitrary<string>, least = 1): fc.Arbitrary<string[]> =>
  fc.array(line, { minLength: least, maxLength: 4 })

/** Lines of which the next ones begin so many columns behind their key, or before it. */
const laidOut =
  (written: readonly string[], depth: number): Write =>
  indent =>
    written.join(`\n${pad(indent + depth)}`)

const quoted = (quote: string, inside: string): fc.Arbitrary<Write> =>
  fc
    .tuple(lines(oneOf(inside)), fc.constantFrom(-9, 0, 1, 2, 5))
    .map(([written, depth]) => laidOut((quote + written.join('\n') + quote).split('\n'), depth))

const words = 'word¦two  words¦a:b¦a#b¦yes¦0644¦12:30¦¦- x¦# x¦k: v¦ led¦ended  '
const single = quoted("'", `${words}¦it''s¦"¦\\¦\ttab`)
const double = quoted('"', `${words}¦'¦on \\¦\\t¦\\"¦\\\\¦\\u00e9¦\\x41¦\\U0001F600¦\\ b¦\\_¦\ttab`)

const plain: fc.Arbitrary<Write> = fc
  .tuple(lines(oneOf("word¦two  words¦a:b¦a#b¦yes¦0644¦1e3¦~¦x]¦-x¦it's¦?x¦:x¦")), fc.constantFrom(1, 2, 4))
  .map(([written, depth]) => laidOut(written, depth))

const header = oneOf('|¦|¦|-¦|+¦>¦>¦>-¦>+¦|2¦>1-¦|+1¦| # why¦>  ')
const block: fc.Arbitrary<Write> = fc
  .tuple(header, lines(oneOf(`${words}¦  deeper¦ ¦x\ttab`), 0), fc.constantFrom(1, 2, 2, 4))
  .map(([head, written, depth]) => laidOut([head, ...written], depth))

const between = oneOf(', ¦,¦ , ¦,\n¦,\n        ¦, # why\n  ¦\n,')
const edge = oneOf('¦ ¦\n¦\n    ¦ # why\n')
const { inBrackets } = fc.letrec<{ inBrackets: Write; item: Write; pair: Write }>(tie => ({
  item: fc.oneof(
    { depthSize: 'small' },
    oneOf('a¦b c¦1¦null¦a:b').map(
      (text): Write =>
        () =>
          text,
    ),
    single,
    double,
    tie('inBrackets'),
  ),
  pair: fc.tuple(oneOf('a: ¦"b":¦"c" :\n  ¦\'d e\' : ¦? f: ¦g:\n'), tie('item')).map(
    ([key, item]): Write =>
      indent =>
        key + item(indent),
  ),
  inBrackets: fc
    .oneof(
      fc.tuple(fc.constant('[]'), fc.array(fc.oneof(tie('item'), tie('pair')), { maxLength: 3 }), between, edge),
      fc.tuple(fc.constant('{}'), fc.array(tie('pair'), { maxLength: 3 }), between, edge),
    )
    .map(
      ([[open, close], items, separator, end]): Write =>
        indent => {
          const written = items.map(item => item(indent)).join(separator)
          return `${open}${end}${written}${end}${close}`
        },
    ),
}))

/** Nothing, or what is told of a node before it is there. */
const bare: fc.Arbitrary<Write> = oneOf('¦ # why¦ &a¦ !!str¦ &b\nx¦ !!str # why\n12').map(text =>
  laidOut(text.split('\n'), 2),
)

const beforeLine = oneOf('¦¦¦\n¦  # why\n¦ \n')

/** A map that begins behind the dash of its item. */
const inLine =
  (write: Write): Write =>
  indent =>
    ` ${write(indent + 2).trimStart()}`

const maps = (someKeys: readonly string[]): fc.Arbitrary<Write> =>
  fc.letrec<{ node: Write; map: Write; list: Write }>(tie => ({
    node: fc.oneof(
      { depthSize: 'small', maxDepth: 3 },
      fc.oneof(plain, single, double, block, inBrackets).map(
        (write): Write =>
          indent =>
            ` ${write(indent)}`,
      ),
      bare,
      fc.tuple(fc.oneof(tie('map'), tie('list')), fc.constantFrom(1, 2, 2, 3, 4)).map(
        ([write, depth]): Write =>
          indent =>
            `\n${write(indent + depth)}`,
      ),
      tie('list').map(
        (write): Write =>
          indent =>
            `\n${write(indent)}`,
      ),
    ),
    map: fc
      .tuple(
        fc.shuffledSubarray([...someKeys], { maxLength: 4 }),
        fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
        beforeLine,
      )
      .map(
        ([keys, values, before]): Write =>
          indent => {
            const key = (index: number): string => laidOut((keys[index] ?? `n${index}`).split('\n'), 0)(indent)
            return values.map((value, index) => `${before}${pad(indent)}${key(index)}:${value(indent)}`).join('\n')
          },
      ),
    list: fc
      .tuple(fc.array(fc.oneof(tie('node'), tie('map').map(inLine)), { minLength: 1, maxLength: 3 }), beforeLine)
      .map(
        ([items, before]): Write =>
          indent =>
            items.map(item => `${before}${pad(indent)}-${item(indent)}`).join('\n'),
      ),
  })).map

const keys = ['k', '"q 1"', "'s 2'", 'p 3', 'a.b/c-5', '-x6', '? k7\n']

const ended = (map: fc.Arbitrary<Write>, column: number): fc.Arbitrary<string> =>
  fc.tuple(map, oneOf('¦\n¦\n# the end\n')).map(([write, end]) => write(column) + end)

/** Maps whose keys stand in this column; the last of their values may end with the text, without a line break. */
export const documents = (column: number): fc.Arbitrary<string> => ended(maps(keys), column)

/** The same with keys of several lines. */
export const documentsWithLongKeys = (column: number): fc.Arbitrary<string> =>
  ended(maps([...keys, '? |\n  k8\n', '? "k\n 9"\n']), column)

const pieces = oneOf(
  " ¦  ¦\n¦\n\n¦\n  \n¦\t¦\u00a0¦\r\n¦\ufeff¦\x01¦- ¦-¦: ¦:¦?¦#¦ #¦\"¦'¦|¦>¦|-¦|+¦|2\n¦>-¦&a ¦*a¦!x ¦!!int ¦{}¦[]¦{¦]¦,¦%¦@¦\\¦\\/¦---\n¦...\n¦~¦null¦1e3¦.inf¦<<: ¦é¦key:\n¦a: b¦1: 2\n¦- - a¦  x\n¦    y¦''",
)

/** Texts with pieces struck into them, or out of them, in so many places. */
export const broken = (texts: fc.Arbitrary<string>, most: number): fc.Arbitrary<string> =>
  fc
    .tuple(
      texts,
      fc.array(fc.record({ at: fc.nat(), cut: fc.nat(3), piece: pieces }), { minLength: 1, maxLength: most }),
    )
    .map(([text, strikes]) =>
      strikes.reduce((rest, { at, cut, piece }) => {
        const place = at % (rest.length + 1)
        return rest.slice(0, place) + piece + rest.slice(place + cut)
      }, text),
    )
