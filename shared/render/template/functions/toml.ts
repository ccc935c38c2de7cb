// TOML in the form that BurntSushi's library writes: plain values before tables, each level of tables indented.
import { parse, TomlDate, TomlError } from 'smol-toml'
import { formatFloat } from '../../../core/text/float-text.ts'
import { unicodeEscape } from '../../../core/text/text.ts'
import { Failure } from '../run/failure.ts'
import { formatInstant } from '../time/layout.ts'
import { compareText } from '../value/bytes.ts'
import { asMap, elementsOf, integerOf, plain } from '../value/kinds.ts'
import { type GoValue, Instant, instantOf, int64, isMissing, mapOf } from '../value/value.ts'

export const readToml = (text: string): GoValue => {
  try {
    return fromToml(parse(text, { integersAsBigInt: true }))
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    throw new Failure(`toml: line ${error.line}: ${error.message.split('\n')[0]}`)
  }
}

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
export const writeToml = (value: GoValue): string => {
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
