// The YAML of manifests and patches, as kustomize reads it: YAML 1.2 words (`yes` is text), YAML 1.1 numbers (`0644` is 420).
// A key without any value is told apart from a written null, because a patch of the map around it drops the first and
// keeps the second: here it is undefined.
import { type Document, isAlias, isMap, isScalar, isSeq, parseDocument, type Scalar, type YAMLMap } from 'yaml'
import { isMap as isJsonMap, type JsonMap } from '../../core/json.ts'
import { RenderError } from '../generator.ts'
import { type Dialect, readBlockYaml } from '../yaml/block.ts'
import { plainScalar } from '../yaml/plain-scalar.ts'
import { strayEnd, strayEndFault } from '../yaml/read.ts'

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

/** Nodes that aliases may stand for in one document: a few lines can mean billions. */
const aliasedMost = 20_000

type Reading = { readonly document: Document; aliased: number }

const parsing = { schema: 'failsafe', uniqueKeys: true, prettyErrors: false, logLevel: 'silent' } as const

const dialect: Dialect = { plain: text => plainValue(text), nothing: undefined }

const document = (text: string): unknown => {
  const quick = readBlockYaml(text, dialect)
  return quick === undefined || hasOtherAnnotations(quick.value) ? parsedDocument(text) : quick.value
}

/** Annotations that must be read again, because their text counts. */
const hasOtherAnnotations = (value: unknown): boolean => {
  const metadata = isJsonMap(value) ? value.metadata : undefined
  const annotations = isJsonMap(metadata) ? metadata.annotations : undefined
  return isJsonMap(annotations) && Object.values(annotations).some(isNumberOrBoolean)
}

/** By the full parser, which is slow. */
export const parsedDocument = (text: string): unknown => {
  if (strayEnd.test(text)) throw new RenderError(`malformed YAML: ${strayEndFault}`)
  const document = parseDocument(text, parsing)
  const fault = document.errors.find(({ code }) => code !== 'MULTIPLE_DOCS')
  if (fault) throw new RenderError(`malformed YAML: ${fault.message}`)
  if (document.contents === null) return undefined
  try {
    return withTextAnnotations(contentOf(document.contents, { document, aliased: 0 }), document)
  } catch (error) {
    if (error instanceof RangeError) throw new RenderError('malformed YAML: nested too deep')
    throw error
  }
}

const contentOf = (node: unknown, reading: Reading, isAliased = false): unknown => {
  if (isAliased && ++reading.aliased > aliasedMost) throw new RenderError('malformed YAML: too many aliases')
  if (isScalar(node)) return scalarOf(node)
  if (isMap(node)) return mapOf(node, reading, isAliased)
  if (isSeq(node)) return node.items.map(item => contentOf(item, reading, isAliased))
  if (!isAlias(node)) return undefined
  const target = node.resolve(reading.document)
  if (target === undefined) throw new RenderError(`malformed YAML: unknown anchor ${node.source}`)
  return contentOf(target, reading, true)
}

/** What stands in the map itself wins over what is merged into it with `<<`. */
const mapOf = (node: YAMLMap, reading: Reading, isAliased: boolean): JsonMap => {
  const entries = new Map<string, unknown>()
  for (const { value } of node.items.filter(({ key }) => isMergeKey(key)))
    for (const [name, merged] of mergedEntries(contentOf(value, reading, isAliased))) entries.set(name, merged)
  for (const { key, value } of node.items.filter(({ key }) => !isMergeKey(key)))
    entries.set(keyOf(contentOf(key, reading, isAliased)), contentOf(value, reading, isAliased))
  return Object.fromEntries(entries)
}

const isMergeKey = (key: unknown): boolean => isScalar(key) && key.type === 'PLAIN' && key.source === '<<'

const mergedEntries = (merged: unknown): [string, unknown][] =>
  (Array.isArray(merged) ? merged.toReversed() : [merged]).flatMap(one => {
    if (typeof one !== 'object' || one === null || Array.isArray(one))
      throw new RenderError('malformed YAML: map merge requires map or sequence of maps as the value')
    return Object.entries(one)
  })

const keyOf = (key: unknown): string => {
  if (typeof key === 'string') return key
  throw new RenderError(`malformed YAML: the key ${JSON.stringify(key)} is no text`)
}

const scalarOf = (node: Scalar): unknown => {
  const text = node.source ?? ''
  if (node.tag !== undefined) return taggedScalar(node.tag, text)
  if (node.type !== 'PLAIN') return text
  return text === '' ? undefined : plainValue(text)
}

const taggedScalar = (tag: string, text: string): unknown => {
  if (tag === 'tag:yaml.org,2002:binary') return Buffer.from(text, 'base64').toString()
  if (/^tag:yaml\.org,2002:(int|float|bool|null)$/.test(tag)) return plainValue(text)
  return text
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

/** Annotations end as text whatever they look like: `1.10` stays `1.10`. */
const withTextAnnotations = (value: unknown, document: Document): unknown => {
  const annotations = isMap(document.contents) ? document.getIn(['metadata', 'annotations'], true) : undefined
  if (!isMap(annotations)) return value
  const written = (value as { metadata: { annotations: JsonMap } }).metadata.annotations
  for (const { key, value } of annotations.items)
    if (isScalar(key) && isScalar(value) && isNumberOrBoolean(written[String(key.value)]))
      written[String(key.value)] = String(value.value)
  return value
}

const isNumberOrBoolean = (value: unknown): boolean => typeof value === 'number' || typeof value === 'boolean'
