// Writes values as YAML, JSON and TOML, and reads them. If a value cannot be written, the result is an empty text. If a text cannot be
// read, the result is the error. The `must` functions fail instead.
import { parse, TomlDate, TomlError } from 'smol-toml'
import { recovered, rethrown } from '../../../core/decisions/reading.ts'
import { isMap, type JsonMap } from '../../../core/json/json.ts'
import { formatFloat } from '../../../core/text/float-text.ts'
import { unicodeEscape } from '../../../core/text/text.ts'
import { readYaml, YamlError } from '../../../core/yaml/read.ts'
import { goValue, type JsonStyle, jsonText, marshalled } from '../format/json.ts'
import { prettyStyle, writeYaml, yamlText } from '../format/yaml.ts'
import { type Budget, Failure } from '../run/environment.ts'
import { formatInstant } from '../time/layout.ts'
import { compareText } from '../value/bytes.ts'
import { type FunctionTable, fn, within } from '../value/function.ts'
import { asMap, elementsOf, integerOf, plain } from '../value/kinds.ts'
import {
  GoMap,
  type GoValue,
  Instant,
  instantOf,
  int64,
  isMissing,
  mapOf,
  nilList,
  type TemplateFunction,
} from '../value/value.ts'

type Write = (value: GoValue, budget: Budget) => string

const writing = (write: Write): TemplateFunction => within('any', ({ budget }, value) => write(value, budget))

const emptyOnFailure =
  (write: Write): Write =>
  (value, budget) =>
    recovered(
      Failure,
      () => write(value, budget),
      () => '',
    )

const json =
  (style: JsonStyle): Write =>
  value =>
    jsonText(marshalled(value), style)

const prettyYaml: Write = (value, budget) => writeYaml(value, prettyStyle, budget)

const compactJson = json({ indent: '', escapesHtml: true })
const indentedJson = json({ indent: '  ', escapesHtml: true })
const rawJson = json({ indent: '', escapesHtml: false })

const parsedJson = (text: string): unknown =>
  rethrown(
    SyntaxError,
    () => JSON.parse(text),
    ({ message }) => new Failure(text.trim() === '' ? 'unexpected end of JSON input' : message),
  )

const parsedYaml = (text: string): unknown =>
  rethrown(
    YamlError,
    () => readYaml(text),
    ({ message }) => new Failure(`error converting YAML to JSON: yaml: ${message}`),
  )

type Parse = {
  readonly from: (text: string) => unknown
  /** For `null`, Go leaves a nil map or list in JSON, and an empty map or list in YAML. */
  readonly isNilForNull: boolean
  readonly mismatch: string
}

const jsonIn: Parse = { from: parsedJson, isNilForNull: true, mismatch: '' }
const yamlIn: Parse = {
  from: parsedYaml,
  isNilForNull: false,
  mismatch: 'error unmarshaling JSON: while decoding JSON: ',
}

const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'array'
  return isMap(value) ? 'object' : typeof value === 'boolean' ? 'bool' : typeof value
}

const mismatch = ({ mismatch: prefix }: Parse, value: unknown, type: string): Failure =>
  new Failure(`${prefix}json: cannot unmarshal ${kindOf(value)} into Go value of type ${type}`)

const mapFrom = (parse: Parse, text: string): GoValue => {
  const value = parse.from(text)
  if (value === null) return Object.assign(new GoMap(), { isNil: parse.isNilForNull })
  if (isMap(value)) return goValue(value satisfies JsonMap)
  throw mismatch(parse, value, 'map[string]interface {}')
}

const listFrom = (parse: Parse, text: string): GoValue => {
  const value = parse.from(text)
  if (value === null) return parse.isNilForNull ? nilList() : []
  if (Array.isArray(value)) return goValue(value)
  throw mismatch(parse, value, '[]interface {}')
}

const errorIn = (message: string): GoValue => mapOf([['Error', message]])

/** If the text cannot be read, the result is made from the message of the error. */
const reader = (read: (text: string) => GoValue, ofMessage = errorIn): TemplateFunction =>
  fn('string', text =>
    recovered(
      Failure,
      () => read(text),
      ({ message }) => ofMessage(message),
    ),
  )

const mapReader = (parse: Parse): TemplateFunction => reader(text => mapFrom(parse, text))
const listReader = (parse: Parse): TemplateFunction =>
  reader(
    text => listFrom(parse, text),
    message => [message],
  )

const readToml = (text: string): GoValue =>
  rethrown(
    TomlError,
    () => fromToml(parse(text, { integersAsBigInt: true })),
    ({ line, message }) => new Failure(`toml: line ${line}: ${message.split('\n')[0]}`),
  )

const fromToml = (value: unknown): GoValue => {
  if (Array.isArray(value)) return value.map(fromToml)
  if (value instanceof TomlDate) return instantOf(value)
  if (typeof value === 'bigint') return int64(value)
  if (typeof value === 'object' && value !== null) {
    return mapOf(Object.entries(value).map(([key, item]) => [key, fromToml(item)]))
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
}

/** The tables of the value, or a message if the value cannot be at the top. A value that is not a table is written without a key. */
const writeToml = (value: GoValue): string => {
  if (isMissing(value)) throw new Failure('reflect: call of reflect.Value.Type on zero Value')
  const map = asMap(value)
  if (map === undefined) return isTableList(value) ? 'toml: top-level values must be Go maps or structs' : inline(value)
  const lines: string[] = []
  table({ lines }, [...map], [])
  return lines.length === 0 ? '' : `${lines.join('\n').replace(/^\n/, '')}\n`
}

type Pen = { readonly lines: string[] }
type Entry = readonly [key: string, value: GoValue]

const isTable = (value: GoValue): boolean => asMap(value) !== undefined
const isTableList = (value: GoValue): boolean => {
  const items = elementsOf(value)
  return items !== undefined && items.length > 0 && items.every(isTable)
}

const table = (pen: Pen, entries: readonly Entry[], path: readonly string[]): void => {
  const sorted = entries.filter(([, value]) => !isMissing(value)).toSorted(([a], [b]) => compareText(a, b))
  const pad = '  '.repeat(path.length)
  for (const [key, value] of sorted) {
    if (!isTable(value) && !isTableList(value)) pen.lines.push(`${pad}${keyText(key)} = ${inline(value)}`)
  }
  for (const [key, value] of sorted) {
    if (isTableList(value)) for (const item of elementsOf(value) ?? []) headed(pen, item, [...path, key], ['[[', ']]'])
    else if (isTable(value)) headed(pen, value, [...path, key], ['[', ']'])
  }
}

const headed = (pen: Pen, value: GoValue, path: readonly string[], [open, close]: readonly [string, string]): void => {
  const pad = '  '.repeat(path.length - 1)
  if (path.length === 1 && pen.lines.length > 0) pen.lines.push('')
  pen.lines.push(`${pad}${open}${path.map(keyText).join('.')}${close}`)
  table(pen, [...(asMap(value) ?? [])], path)
}

const keyText = (key: string): string => (/^[A-Za-z0-9_-]+$/.test(key) ? key : string(key))

const escapes: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
}

const string = (text: string): string => {
  const shown = Array.from(text, sign => {
    const isControl = sign < ' ' || sign === '\x7f'
    return escapes[sign] ?? (isControl ? unicodeEscape(sign) : sign)
  })
  return `"${shown.join('')}"`
}

const inline = (value: GoValue): string => {
  if (typeof value === 'string') return string(value)
  if (typeof value === 'number') return float(value)
  const items = elementsOf(value)
  if (items !== undefined) return `[${items.map(inline).join(', ')}]`
  const map = asMap(value)
  if (map !== undefined) return `{${[...map].map(([key, item]) => `${keyText(key)} = ${inline(item)}`).join(', ')}}`
  if (value instanceof Instant) return formatInstant(value, '2006-01-02T15:04:05.999999999Z07:00')
  return String(integerOf(value) ?? plain(value))
}

const float = (value: number): string => {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf'
  const text = formatFloat(value, 'g', -1)
  return /[.e]/.test(text) ? text : `${text}.0`
}

export const documents: FunctionTable = {
  fromJson: mapReader(jsonIn),
  fromJsonArray: listReader(jsonIn),
  fromToml: reader(readToml),
  fromYaml: mapReader(yamlIn),
  fromYamlArray: listReader(yamlIn),
  mustFromJson: fn('string', text => goValue(parsedJson(text))),
  mustFromJsonArray: fn('string', text => listFrom(jsonIn, text)),
  mustFromYaml: fn('string', text => mapFrom(yamlIn, text)),
  mustFromYamlArray: fn('string', text => listFrom(yamlIn, text)),
  mustToJson: writing(compactJson),
  mustToPrettyJson: writing(indentedJson),
  mustToRawJson: writing(rawJson),
  mustToYaml: writing(yamlText),
  mustToYamlPretty: writing(prettyYaml),
  toJson: writing(emptyOnFailure(compactJson)),
  toPrettyJson: writing(emptyOnFailure(indentedJson)),
  toRawJson: writing(rawJson),
  toToml: fn('any', writeToml),
  toYaml: writing(emptyOnFailure(yamlText)),
  toYamlPretty: writing(emptyOnFailure(prettyYaml)),
}
