// YAML as kubectl and helm read it: one document to JSON values. What a plain scalar means is in plain-scalar.ts, and most texts
// are read by block.ts; cutting a stream into documents is the caller's business, because helm and kubectl do it differently.
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  type YAMLMap,
} from 'yaml'
import type { JsonMap } from '../../core/json.ts'
import { formatFloat } from '../template/format/float.ts'
import { type Dialect, readBlockYaml } from './block.ts'
import { type ReadPlain, unread } from './inline.ts'
import { plainScalar } from './plain-scalar.ts'

/** The text is no YAML, or says what JSON cannot. `line` counts from 1. */
export class YamlError extends Error {
  override readonly name = 'YamlError'
  readonly fault: string
  readonly line: number

  constructor(fault: string, line: number) {
    super(`line ${line}: ${fault}`)
    this.fault = fault
    this.line = line
  }
}

/** The first document of the text; null where it is empty. Throws YamlError. */
export const readYaml = (text: string): unknown => readYamlWith(plainScalar, text)

/** The same where unquoted scalars mean something else. */
export const readYamlWith = (plain: ReadPlain, text: string): unknown => {
  const read = readBlockYaml(text, plain === plainScalar ? jsonDialect : jsonDialectWith(plain))
  return read === undefined ? parsedYaml(text, plain) : read.value
}

/** As `readYaml`, told before the full parser begins, as whoever counts what things cost must know. */
export const readYamlTold = (text: string, beforeFullParser: () => void): unknown => {
  const read = readBlockYaml(text, jsonDialect)
  if (read !== undefined) return read.value
  beforeFullParser()
  return parsedYaml(text)
}

/** Every value is one of JSON, and what is none is for the full parser to tell. */
const jsonDialectWith = (plain: ReadPlain): Dialect => ({
  plain: text => {
    const value = plain(text)
    if (typeof value === 'number' && !Number.isFinite(value)) throw unread
    return value
  },
  nothing: null,
})

/** That of `readYaml`. */
export const jsonDialect = jsonDialectWith(plainScalar)

/** The same by the full parser, which is slow. */
export const parsedYaml = (text: string, plain: ReadPlain = plainScalar): unknown => {
  if (nestsTooDeep(text)) throw new YamlError('is nested too deep', 1)
  const end = strayEnd.exec(text)?.[0]
  if (end !== undefined) throw new YamlError(strayEndFault, end.split('\n').length)
  const lines = new LineCounter()
  const lineAt = (offset: number): number => Math.max(lines.linePos(offset).line, 1)
  try {
    const { errors, contents } = parseDocument(text, { ...parsing, lineCounter: lines })
    const fault = errors.find(({ code }) => code !== 'MULTIPLE_DOCS')
    if (fault) throw new YamlError(fault.message, lineAt(fault.pos[0]))
    return nodeValue(contents, { text, plain, lineAt, anchors: new Map(), aliased: 0 })
  } catch (error) {
    // Collections within collections until the parser's own stack ends.
    if (error instanceof RangeError) throw new YamlError('is nested too deep', 1)
    throw error
  }
}

/** The end of a document that has not begun: the library passes over it, and over what follows. */
export const strayEnd = /^(?:[^\S\n]*(?:#[^\n]*)?\n)*\.\.\.(?!\S)/
export const strayEndFault = 'a document ends before it began'

const nestingMost = 1_000

/** The parser needs seconds until its stack ends; the lexer is told to stop at once. */
const nestsTooDeep = (text: string): boolean => {
  if (text.split(/[[{]/, nestingMost + 2).length <= nestingMost + 1) return false
  let depth = 0
  for (const token of new Lexer().lex(text)) {
    depth += flowTokens[token] ?? 0
    if (depth > nestingMost) return true
  }
  return false
}

const flowTokens: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1 }

/** Scalars stay text until `scalarValue`; which of two equal keys wins is decided in `mapValue`. */
const parsing = { schema: 'failsafe', uniqueKeys: false, prettyErrors: false, logLevel: 'silent' } as const

type Reading = {
  readonly text: string
  readonly plain: ReadPlain
  readonly lineAt: (offset: number) => number
  /** Of the nodes read so far: an alias means the last one before it. */
  readonly anchors: Map<string, Node>
  /** Nodes that came through aliases: a few lines can stand for billions. */
  aliased: number
}

const aliasedMost = 100_000

const nodeValue = (node: unknown, reading: Reading, isAliased = false): unknown => {
  if (isAliased && ++reading.aliased > aliasedMost) throw faultAt(node, 'too much comes through aliases', reading)
  if (isAlias(node)) return nodeValue(targetOf(node, reading), reading, true)
  if (isScalar(node) || isMap(node) || isSeq(node)) {
    if (node.anchor !== undefined) reading.anchors.set(node.anchor, node)
  }
  if (isScalar(node)) return scalarValue(node, reading)
  if (isMap(node)) return mapValue(node, reading, isAliased)
  return isSeq(node) ? node.items.map(item => nodeValue(item, reading, isAliased)) : null
}

const targetOf = (node: Node & { source: string }, reading: Reading): Node => {
  const target = reading.anchors.get(node.source)
  if (!target) throw faultAt(node, `unknown anchor ${node.source}`, reading)
  return target
}

const scalarValue = (node: Scalar, reading: Reading): unknown => {
  const text = isCutOff(node, reading) ? (node.source ?? '').replace(/\n$/, '') : (node.source ?? '')
  if (isHalved(node, reading)) throw faultAt(node, 'found invalid Unicode character escape code', reading)
  const value = taggedValue(node, text, reading)
  if (typeof value === 'number' && !Number.isFinite(value)) throw faultAt(node, `${text} is no number in JSON`, reading)
  if (value === undefined) throw faultAt(node, `cannot read ${text} as ${node.tag}`, reading)
  return value
}

/** JSON writes what is beyond 16 bits as two escapes; to YAML neither is a character. */
const isHalved = ({ type, range }: Scalar, { text }: Reading): boolean =>
  type === 'QUOTE_DOUBLE' && range !== undefined && range !== null && half.test(text.slice(range[0], range[1]))

const half = /(?<!\\)(?:\\\\)*\\u[dD][89a-fA-F]/

/** A block that ends with the text, and that without a line break, has none at its end. */
const isCutOff = ({ type, range }: Scalar, { text }: Reading): boolean =>
  (type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED') && range?.[1] === text.length && !text.endsWith('\n')

const taggedValue = (node: Scalar, text: string, { plain }: Reading): unknown => {
  const read = node.tag === undefined ? undefined : tagged[node.tag]
  if (read) return read(text)
  return node.type === 'PLAIN' && node.tag === undefined ? plain(text) : text
}

const ofType = (type: string, value: unknown): unknown => (typeof value === type ? value : undefined)

/** Unknown tags leave the text as it is. */
const tagged: Readonly<Record<string, (text: string) => unknown>> = {
  'tag:yaml.org,2002:int': text => ofType('number', plainScalar(text)),
  'tag:yaml.org,2002:float': text => ofType('number', plainScalar(text)),
  'tag:yaml.org,2002:bool': text => ofType('boolean', plainScalar(text)),
  'tag:yaml.org,2002:null': text => (plainScalar(text) === null ? null : undefined),
  'tag:yaml.org,2002:binary': text => Buffer.from(text, 'base64').toString(),
}

/** In the order of the text: what comes later wins, what is merged in with `<<` included. */
const mapValue = (node: YAMLMap, reading: Reading, isAliased: boolean): JsonMap => {
  const entries = new Map<string, unknown>()
  for (const { key, value } of node.items) {
    const content = () => nodeValue(value, reading, isAliased)
    if (isMergeKey(key)) for (const [name, merged] of mergedEntries(key, content(), reading)) entries.set(name, merged)
    else entries.set(keyText(key, nodeValue(key, reading, isAliased), reading), content())
  }
  return Object.fromEntries(entries)
}

const isMergeKey = (key: unknown): key is Scalar => isScalar(key) && key.type === 'PLAIN' && key.source === '<<'

/** The first of several maps wins over the next. */
const mergedEntries = (key: Scalar, content: unknown, reading: Reading): [string, unknown][] => {
  const maps = (Array.isArray(content) ? content.toReversed() : [content]).map(one => {
    if (typeof one === 'object' && one !== null && !Array.isArray(one)) return Object.entries(one)
    throw faultAt(key, 'map merge requires a map or a sequence of maps as the value', reading)
  })
  return maps.flat()
}

/** JSON has text for keys only; `null` and collections cannot be made into any. */
const keyText = (node: unknown, key: unknown, reading: Reading): string => {
  if (typeof key === 'number' && !Number.isSafeInteger(key)) return formatFloat(key, 'g', -1)
  if (typeof key === 'string' || typeof key === 'number' || typeof key === 'boolean') return String(key)
  throw faultAt(node, 'a key is neither text nor a number nor a boolean', reading)
}

const faultAt = (node: unknown, fault: string, { lineAt }: Reading): YamlError => {
  const range = isAlias(node) || isScalar(node) || isMap(node) || isSeq(node) ? node.range : undefined
  return new YamlError(fault, lineAt(range?.[0] ?? 0))
}
