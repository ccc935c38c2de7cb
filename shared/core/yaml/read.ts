// Reads one YAML document to JSON values as kubectl and helm do. Callers split streams into documents, because helm and kubectl split
// differently.
import { formatFloat } from '../text/float-text.ts'
import { YamlError } from './cursor.ts'
import { readDocument } from './document.ts'
import { isWhole, plainScalar } from './plain-scalar.ts'
import type { Dialect, Repeated } from './reading.ts'

export { YamlError }

/** The first document; null when the text is empty. Throws YamlError. */
export const readYaml = (text: string): unknown => readDocument(text, json)

/** Like `readYaml`; undefined if the text is not valid YAML. */
export const yamlOrNothing = (text: string): unknown => {
  try {
    return readYaml(text)
  } catch (error) {
    if (error instanceof YamlError) return undefined
    throw error
  }
}

/** Like `readYaml`; calls `repeated` for each key that occurs again in its map. The last value counts. */
export const readYamlNoting = (repeated: Repeated, text: string): unknown => readDocument(text, { ...json, repeated })

type ReadPlain = Dialect['plain']

/** Like `readYaml`, with another interpretation of unquoted scalars. */
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

/**
 * Interprets tagged scalars, based on `plain` for unquoted scalars. undefined when the text does not fit the tag. Unknown tags are
 * ignored.
 */
export const taggedScalar =
  (plain: ReadPlain): Dialect['tagged'] =>
  (tag, text) => {
    const name = tag.startsWith(prefix) ? tag.slice(prefix.length) : ''
    const read = Object.hasOwn(tagged, name) ? tagged[name] : undefined
    return read ? read(text, plain) : text
  }

const prefix = 'tag:yaml.org,2002:'

/** JSON keys are text; null and collections cannot become keys. */
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

/** The shortest number with the same 32-bit value, because Go writes keys in 32 bits. */
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
