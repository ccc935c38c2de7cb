// YAML as kubectl and helm read it: one document to JSON values. What a plain scalar means is in plain-scalar.ts; cutting a stream into
// documents is the caller's business, because helm and kubectl do it differently.
import { formatFloat } from '../text/float-text.ts'
import { readDocument } from './document.ts'
import { isWhole, plainScalar } from './plain-scalar.ts'
import type { Dialect, Repeated } from './reading.ts'

export { YamlError } from './cursor.ts'

/** The first document of the text; null where it is empty. Throws YamlError. */
export const readYaml = (text: string): unknown => readDocument(text, json)

/** The same; `repeated` gets each key that its map has already. The last one counts. */
export const readYamlNoting = (repeated: Repeated, text: string): unknown => readDocument(text, { ...json, repeated })

type ReadPlain = Dialect['plain']

/** The same where unquoted scalars mean something else. */
export const readYamlWith = (plain: ReadPlain, text: string): unknown => readDocument(text, { ...json, plain })

const base64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/

const decoded = (text: string): string | undefined =>
  base64.test(text.replaceAll(/[\r\n]/g, '')) ? Buffer.from(text, 'base64').toString() : undefined

const ofType = (type: string, value: unknown): unknown => (typeof value === type ? value : undefined)

type Tagged = (text: string, plain: ReadPlain) => unknown

const tagged: Readonly<Record<string, Tagged>> = {
  int: (text, plain) => (isWhole(text) ? plain(text) : undefined),
  float: (text, plain) => ofType('number', plain(text)),
  bool: (text, plain) => ofType('boolean', plain(text)),
  null: (text, plain) => (plain(text) === null ? null : undefined),
  binary: decoded,
}

/** What a scalar with a tag means where unquoted ones mean this; undefined where it cannot. Unknown tags leave the text as it is. */
export const taggedScalar =
  (plain: ReadPlain): Dialect['tagged'] =>
  (tag, text) => {
    const name = tag.startsWith(prefix) ? tag.slice(prefix.length) : ''
    const read = Object.hasOwn(tagged, name) ? tagged[name] : undefined
    return read ? read(text, plain) : text
  }

const prefix = 'tag:yaml.org,2002:'

/** JSON has text for keys only; `null` and collections cannot be made into any. */
const keyText = (key: unknown, written: string): string | undefined => {
  if (typeof key === 'string') return key
  if (typeof key === 'boolean' || (typeof key === 'number' && isWhole(written))) return String(key)
  if (typeof key !== 'number') return undefined
  return Number.isFinite(key)
    ? formatFloat(singlePrecision(key), 'g', -1)
    : Number.isNaN(key)
      ? '.nan'
      : key > 0
        ? '.inf'
        : '-.inf'
}

/** The shortest number that is the same in 32 bits, which is how Go writes keys. */
const singlePrecision = (number: number): number => {
  const digits = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(count => Number(Math.fround(number).toPrecision(count)))
  return digits.find(short => Math.fround(short) === Math.fround(number)) ?? number
}

const json: Dialect = {
  plain: plainScalar,
  tagged: taggedScalar(plainScalar),
  nothing: null,
  folded: text => text,
  keyText,
  isStrict: false,
  aliasedMost: 100_000,
}
