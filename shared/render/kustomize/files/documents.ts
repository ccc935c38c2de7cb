// The YAML of manifests and patches, as kustomize reads it: YAML 1.2 words (`yes` is text), YAML 1.1 numbers (`0644` is 420).
// A key without any value is told apart from a written null, because a patch of the map around it drops the first and
// keeps the second: here it is undefined.
import { own, put } from '../../../core/json/fields.ts'
import { isMap, type JsonMap, mapOrEmpty } from '../../../core/json/json.ts'
import { YamlError } from '../../../core/yaml/cursor.ts'
import { readDocument } from '../../../core/yaml/document.ts'
import { plainScalar } from '../../../core/yaml/plain-scalar.ts'
import { taggedScalar } from '../../../core/yaml/read.ts'
import type { Dialect } from '../../../core/yaml/reading.ts'
import { RenderError } from '../../generator.ts'
import { lineBreaks } from '../../line-breaks.ts'
import { refolded } from './refolded.ts'

/** `line`: where in its file it begins. */
export type Document = { readonly value: unknown; readonly line: number }

/** Every document of a file that is not empty. */
export const documentsIn = (text: string): Document[] =>
  separated(text.replaceAll('\r\n', '\n'))
    .map(part => ({ value: contentOf(part), line: part.before + blankLines(part.text) + 1 }))
    .filter(({ value }) => value !== undefined && value !== null)

const blankLines = (text: string): number => lineBreaks(text.slice(0, text.search(/\S/)))

/** The text of a document. `before`: how many lines the file has before it. */
type Part = { readonly text: string; readonly before: number }

/** A separator stands on a line of its own; what follows it there may only be a comment. */
const separated = (text: string): Part[] => {
  const parts: Part[] = []
  let [from, before] = [0, 0]
  for (const separator of text.matchAll(/\n---(.*)\n/g)) {
    const part = { text: `${text.slice(from, separator.index)}\n`, before }
    before += lineBreaks(part.text) + 1
    refuseWords(separator, before)
    parts.push(part)
    from = separator.index + separator[0].length
  }
  return [...parts, { text: text.slice(from), before }]
}

const refuseWords = ([separator, words = '']: RegExpExecArray, line: number): void => {
  const rest = words.trim()
  if (rest === '' || rest.startsWith('#')) return
  throw new RenderError(`invalid document separator: ${separator.trim()}`, { blame: { kind: 'yaml', line } })
}

/** The first document of the text; undefined if the text is empty. */
const contentOf = ({ text, before }: Part): unknown => {
  try {
    return withTextAnnotations(readDocument(text, dialect), text)
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    const line = before + error.line
    throw new RenderError(`malformed YAML: line ${line}: ${error.fault}`, { blame: { kind: 'yaml', line } })
  }
}

/** What a plain scalar means where YAML 1.2's words and YAML 1.1's numbers hold. Throws where JSON cannot say it. */
export const plainValue = (text: string): unknown => {
  const value = meaning(text)
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RenderError(`${text} is no number in JSON`)
  return value
}

const meaning = (text: string): unknown => {
  const value = plainScalar(text)
  if (typeof value === 'boolean') return /^(true|false)$/i.test(text) ? value : text
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
  plain: meaning,
  tagged: taggedScalar(meaning),
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
