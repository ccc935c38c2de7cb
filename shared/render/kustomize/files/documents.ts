// Reads the YAML of manifests and patches as kustomize does: words of YAML 1.2 (`yes` is text), numbers of YAML 1.1 (`0644` is 420). A key
// without a value is undefined, a written null is null: a patch with the key drops the undefined value and keeps the null.
import { rethrown } from '../../../core/decisions/reading.ts'
import { own, put } from '../../../core/json/fields.ts'
import { isMap, type JsonMap, mapOrEmpty } from '../../../core/json/json.ts'
import { YamlError } from '../../../core/yaml/cursor.ts'
import { readDocument, taggedScalar } from '../../../core/yaml/read.ts'
import type { Dialect } from '../../../core/yaml/reading.ts'
import { plainScalar } from '../../../core/yaml/scalar-text.ts'
import { lineBreaks, RenderError } from '../../generator.ts'
import { needsEscapes } from '../../template/format/yaml-scalars.ts'

export type Document = { readonly value: unknown; readonly line: number }

export const documentsIn = (text: string): Document[] =>
  separated(text.replaceAll('\r\n', '\n'))
    .map(part => ({ value: contentOf(part), line: part.before + blankLines(part.text) + 1 }))
    .filter(({ value }) => value !== undefined && value !== null)

const blankLines = (text: string): number => lineBreaks(text.slice(0, text.search(/\S/)))

/** `before`: the number of lines before the part in the file. */
type Part = { readonly text: string; readonly before: number }

/** Splits the text at lines that contain nothing but `---` and perhaps a comment. */
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

const contentOf = ({ text, before }: Part): unknown =>
  rethrown(
    YamlError,
    () => withTextAnnotations(readDocument(text, dialect), text),
    fault => {
      const line = before + fault.line
      return new RenderError(`malformed YAML: line ${line}: ${fault.fault}`, { blame: { kind: 'yaml', line } })
    },
  )

export const plainValue = (text: string): unknown => {
  const value = meaning(text)
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new RenderError(`JSON cannot represent the number ${text}`)
  return value
}

const meaning = (text: string): unknown => {
  const value = plainScalar(text)
  if (typeof value === 'boolean') return /^(true|false)$/i.test(text) ? value : text
  return value === text ? (instant(text) ?? text) : value
}

const datePattern =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:(?:[Tt]|[ \t]+)(\d\d?):(\d\d?):(\d\d?)(\.\d{1,9})?[ \t]*(Z|[-+]\d\d:\d\d)?)?$/

/** A date becomes text with a time of day, for example `2026-01-01T00:00:00Z`. */
const instant = (text: string): string | undefined => {
  const [, year, month = '', day = '', hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] =
    datePattern.exec(text) ?? []
  if (year === undefined) return undefined
  const two = (part: string) => part.padStart(2, '0')
  const time = `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}`
  return Number.isNaN(Date.parse(`${time}Z`)) ? undefined : `${time}${fraction.replace(/\.?0+$/, '')}${zone}`
}

/**
 * The text of a folded scalar after kustomize wrote and read it once more. kustomize's reader does not undo the folding of its writer: an
 * extra line break appears before a line that begins with a blank, and at the end of a text that keeps all its breaks. If the text itself
 * begins with a blank, no line break remains between words.
 */
const refolded = (text: string): string => {
  // kustomize writes such a text in quotes.
  if (needsEscapes(text.replaceAll('\t', '')) || text.endsWith(' ')) return text
  const adds = /^\n*[^ \t\n]/.test(text)
  const lines = /([^\n]+)(\n*)/g
  return text.replace(lines, (_, line: string, breaks: string, at: number) => {
    const next = text[at + line.length + breaks.length]
    return line + (startsBlank(line) ? breaks : between(breaks, next, adds))
  })
}

const startsBlank = (text: string | undefined): boolean => text !== undefined && /^[ \t]/.test(text)

/** `adds`: whether the writer adds another break. */
const between = (breaks: string, next: string | undefined, adds: boolean): string => {
  if (next === undefined) return adds && breaks.length > 1 ? `${breaks}\n` : breaks
  if (startsBlank(next)) return adds ? `${breaks}\n` : breaks
  return adds ? breaks : breaks.slice(1) || ' '
}

const dialect: Dialect = {
  plain: meaning,
  tagged: taggedScalar(meaning),
  nothing: undefined,
  folded: refolded,
  // Refuses a key whose value differs from its text, such as a date.
  keyText: (key, written) => (typeof key === 'string' && (key === written || written === '') ? key : undefined),
  isStrict: true,
  aliasedMost: 20_000,
}

const texts: Dialect = { ...dialect, plain: text => text, tagged: (_, text) => text }

/** Annotations always become text: `1.10` stays `1.10`. */
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

/** This symbol stands for a missing value, because null and undefined are values. */
export const absent: unique symbol = Symbol('absent')

export const isNothing = (value: unknown): boolean => value === absent || value === null || value === undefined

export const nodeText = (value: unknown): string => (value === null ? 'null' : nodeScalar(value))

export const nodeScalar = (value: unknown): string =>
  isNothing(value) || typeof value === 'object' ? '' : String(value)
