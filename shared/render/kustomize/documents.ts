// The YAML of manifests and patches, as kustomize reads it: YAML 1.2 words (`yes` is text), YAML 1.1 numbers (`0644` is 420).
// A key without any value is told apart from a written null, because a patch of the map around it drops the first and
// keeps the second: here it is undefined.
import { own, put } from '../../core/fields.ts'
import { isMap, type JsonMap, mapOrEmpty } from '../../core/json.ts'
import { YamlError } from '../../core/yaml/cursor.ts'
import { readDocument } from '../../core/yaml/document.ts'
import { plainScalar } from '../../core/yaml/plain-scalar.ts'
import { taggedScalar } from '../../core/yaml/read.ts'
import type { Dialect } from '../../core/yaml/reading.ts'
import { RenderError } from '../generator.ts'
import { refolded } from './refolded.ts'

/** Every document of a file that is not empty. */
export const documentsIn = (text: string): unknown[] =>
  separated(text.replaceAll('\r\n', '\n'))
    .map(document)
    .filter(value => value !== undefined && value !== null)

/** A separator stands on a line of its own; what follows it there may only be a comment. */
const separated = (text: string): string[] => {
  const documents: string[] = []
  let from = 0
  for (const separator of text.matchAll(/\n---(.*)\n/g)) {
    const rest = separator[1]?.trim() ?? ''
    if (rest !== '' && !rest.startsWith('#'))
      throw new RenderError(`invalid document separator: ${separator[0].trim()}`)
    documents.push(`${text.slice(from, separator.index)}\n`)
    from = separator.index + separator[0].length
  }
  return [...documents, text.slice(from)]
}

/** The first document of a text; undefined where it is empty. */
const document = (text: string): unknown => {
  try {
    return withTextAnnotations(readDocument(text, dialect), text)
  } catch (error) {
    throw error instanceof YamlError ? new RenderError(`malformed YAML: ${error.message}`) : error
  }
}

/** What a plain scalar means where YAML 1.2's words and YAML 1.1's numbers hold. */
export const plainValue = (text: string): unknown => {
  const value = plainScalar(text)
  if (typeof value === 'boolean') return /^(true|false)$/i.test(text) ? value : text
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RenderError(`${text} is no number in JSON`)
  return value === text ? (instant(text) ?? text) : value
}

const datePattern =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:(?:[Tt]|[ \t]+)(\d\d?):(\d\d?):(\d\d?)(\.\d{1,9})?[ \t]*(Z|[-+]\d\d:\d\d)?)?$/

/** Dates are instants, and an instant in JSON is text with a time of day. */
const instant = (text: string): string | undefined => {
  const [, year, month = '', day = '', hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] =
    datePattern.exec(text) ?? []
  if (year === undefined) return undefined
  const two = (part: string) => part.padStart(2, '0')
  const time = `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}`
  return Number.isNaN(Date.parse(`${time}Z`)) ? undefined : `${time}${fraction.replace(/\.?0+$/, '')}${zone}`
}

const dialect: Dialect = {
  plain: plainValue,
  tagged: taggedScalar(plainValue),
  nothing: undefined,
  folded: refolded,
  // A date, or what is read as something else than it is written as, is refused.
  keyText: (key, written) => (typeof key === 'string' && (key === written || written === '') ? key : undefined),
  isStrict: true,
  aliasedMost: 20_000,
}

const texts: Dialect = { ...dialect, plain: text => text, tagged: (_, text) => text }

/** Annotations end as text whatever they look like: `1.10` stays `1.10`. */
const withTextAnnotations = (value: unknown, text: string): unknown => {
  const annotations = annotationsOf(value)
  const others = Object.keys(annotations).filter(key => isNumberOrBoolean(annotations[key]))
  if (others.length === 0) return value
  const written = annotationsOf(readDocument(text, texts))
  for (const key of others) put(annotations, key, own(written, key))
  return value
}

const annotationsOf = (value: unknown): JsonMap => {
  const metadata = isMap(value) ? value.metadata : undefined
  const annotations = isMap(metadata) ? metadata.annotations : undefined
  return mapOrEmpty(annotations)
}

const isNumberOrBoolean = (value: unknown): boolean => typeof value === 'number' || typeof value === 'boolean'
